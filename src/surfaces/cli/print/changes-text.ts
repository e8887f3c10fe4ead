import { oneLine, printable } from "../../../lib/terminal/printable.ts";
import type { FieldChange, ServerChanges, ServerChangeView } from "../../api/contract.ts";

/** The definitions of a server that nobody has accepted yet, for a person to review. */
export function formatChanges(name: string, { version, changes }: ServerChanges): string {
  if (changes.length === 0)
    return `Nothing to review: everything ${name} publishes is accepted, or the server is not pinned.\n`;
  return `${changes.map(formatChange).join("\n")}\nAgents do not see any of this yet. To decide:\n  toolkeep server accept ${name} [WHAT…] --seen ${version}\n  toolkeep server reject ${name} [WHAT…] --seen ${version}\n`;
}

function formatChange({ kind, name, tool, what, state, fields, findings }: ServerChangeView): string {
  const called = tool === undefined || tool === name ? "" : ` (${tool})`;
  const rejected = state === "rejected" ? ", rejected" : "";
  return [
    `${kind.replace("_", " ")} ${oneLine(name)}${called}: ${what}${rejected}`,
    ...findings.map(
      (finding) =>
        `  ! ${finding.kind.replaceAll("_", " ")} in ${oneLine(finding.field)}: ${oneLine(finding.excerpt)}`,
    ),
    ...fields.flatMap(formatFieldChange),
    "",
  ].join("\n");
}

function formatFieldChange({ path, change, before, after, lines }: FieldChange): readonly string[] {
  const head = `  ${oneLine(path)} (${change})`;
  if (lines) return [head, ...lines.map(({ kind, text }) => `    ${SIGNS[kind]} ${printable(text)}`)];
  return [
    head,
    ...(before === undefined ? [] : prefixLines("-", before)),
    ...(after === undefined ? [] : prefixLines("+", after)),
  ];
}

const SIGNS = { same: " ", removed: "-", added: "+" } as const;

function prefixLines(sign: string, text: string): readonly string[] {
  return text.split("\n").map((line) => `    ${sign} ${printable(line)}`);
}
