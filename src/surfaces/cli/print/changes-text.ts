import { oneLine, printable } from "../../../lib/terminal/printable.ts";
import type { FieldChange, ServerChanges, ServerChangeView } from "../../api/contract.ts";

/** What a server publishes that nobody has accepted, for a person to read. */
export function changesText(name: string, { version, changes }: ServerChanges): string {
  if (changes.length === 0) return `Everything that ${name} publishes is accepted, or it is not pinned.\n`;
  return `${changes.map(changeText).join("\n")}\nNo agent sees any of this. To decide:\n  toolkeep server accept ${name} [WHAT…] --seen ${version}\n  toolkeep server reject ${name} [WHAT…] --seen ${version}\n`;
}

function changeText({ kind, name, tool, what, state, fields, findings }: ServerChangeView): string {
  const called = tool === undefined || tool === name ? "" : ` (${tool})`;
  const rejected = state === "rejected" ? ", rejected" : "";
  return [
    `${kind.replace("_", " ")} ${oneLine(name)}${called}: ${what}${rejected}`,
    ...findings.map(
      (finding) =>
        `  ! ${finding.kind.replaceAll("_", " ")} in ${oneLine(finding.field)}: ${oneLine(finding.excerpt)}`,
    ),
    ...fields.flatMap(fieldText),
    "",
  ].join("\n");
}

function fieldText({ path, change, before, after, lines }: FieldChange): readonly string[] {
  const head = `  ${oneLine(path)} (${change})`;
  if (lines) return [head, ...lines.map(({ kind, text }) => `    ${SIGNS[kind]} ${printable(text)}`)];
  return [
    head,
    ...(before === undefined ? [] : marked("-", before)),
    ...(after === undefined ? [] : marked("+", after)),
  ];
}

const SIGNS = { same: " ", removed: "-", added: "+" } as const;

function marked(sign: string, text: string): readonly string[] {
  return text.split("\n").map((line) => `    ${sign} ${printable(line)}`);
}
