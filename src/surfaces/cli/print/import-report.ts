import { splitPart } from "../../../features/clients/reach.ts";
import { printable } from "../../../lib/terminal/printable.ts";
import { table } from "../../../lib/terminal/table.ts";
import type { ImportPreview, ImportPreviewServer, ImportResult, ImportVerdict } from "../../api/contract.ts";

/** Longer commands would push the last column off the screen. */
const MAX_REACH_WIDTH = 50;

/** The servers found and what the import will do with each. */
export function formatPreview({ servers, files }: ImportPreview, columns: number): string {
  const rows = servers.map((server) => [
    server.name,
    server.clients.join(", ") + (server.project === null ? "" : " (project)"),
    shortenMiddle(server.reach),
    describeVerdict(server),
  ]);
  const notes = servers.flatMap(({ name, notes }) => notes.map((note) => `${name}: ${note}`));
  const problems = files.flatMap(({ path, problem }) => (problem === null ? [] : [`${path}: ${problem}`]));
  return [
    rows.length === 0 ? "" : table(["NAME", "CLIENTS", "REACHED BY", "ACTION"], rows, columns),
    formatList("Notes:", notes),
    formatList(
      "To add missing values:",
      servers.filter(({ verdict }) => verdict.kind === "same").flatMap(suggestRemedy),
    ),
    formatList("Skipped files:", problems),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

/** The result of the import for each server, with tool counts and errors. */
export function formatResults(
  results: readonly ImportResult[],
  previews: readonly ImportPreviewServer[],
  columns: number,
): string {
  const rows = results.map(({ verdict, server, error }) => {
    const name = "name" in verdict ? verdict.name : "";
    const preview = previews.find((one) => "name" in one.verdict && one.verdict.name === name);
    const why = explainDisabled(preview);
    return [name, server?.state ?? "failed", server?.toolCount ?? 0, error ?? why ?? server?.lastError ?? ""];
  });
  const imported = previews.filter((one) =>
    results.some(
      ({ verdict }) => "name" in verdict && "name" in one.verdict && verdict.name === one.verdict.name,
    ),
  );
  const remedies = formatList("To add missing values:", imported.flatMap(suggestRemedy));
  return [table(["NAME", "STATE", "TOOLS", "NOTE"], rows, columns), remedies]
    .filter((part) => part !== "")
    .join("\n");
}

function describeVerdict(server: ImportPreviewServer): string {
  const { verdict } = server;
  const disabled = explainDisabled(server);
  const but = disabled === undefined ? "" : `, ${disabled}`;
  switch (verdict.kind) {
    case "new":
      return `new${but}`;
    case "renamed":
      return `name ${verdict.why}, imported as ${verdict.name}${but}`;
    case "same":
      return `same as registered ${verdict.name}${describeDifferences(verdict)}`;
    case "completed":
      return `adds missing values to ${verdict.name}`;
    case "skipped":
      return `skipped: ${verdict.reason}`;
  }
}

function describeDifferences({ lacks = [], otherValues }: Extract<ImportVerdict, { kind: "same" }>): string {
  const names = lacks.map((part) => splitPart(part)).map(([place, key]) => (isKeyed(place) ? key : place));
  const parts = [
    ...(names.length === 0 ? [] : [`which still needs ${[...new Set(names)].join(", ")}`]),
    ...(otherValues ? ["which has different values"] : []),
  ];
  return parts.map((part) => `, ${part}`).join("");
}

/** How a person adds the missing values of a server. */
function suggestRemedy({ verdict, missing, missingIn }: ImportPreviewServer): string[] {
  if (verdict.kind === "skipped" || verdict.kind === "completed") return [];
  const missingParts = verdict.kind === "same" ? (verdict.lacks ?? []) : missingIn;
  if (missingParts.length === 0) return [];
  const parts = missingParts.map((part) => splitPart(part));
  if (parts.some(([place]) => !isKeyed(place)))
    return [`${verdict.name}: set ${missing.join(", ")}, then run toolkeep import again`];
  const options = parts.map(
    ([place, key = ""]) => `${place === "env" ? "--env" : "--header"} ${quoteShellWord(key)}`,
  );
  const name = quoteShellWord(verdict.name);
  return [`toolkeep server edit ${name} ${options.join(" ")}, then toolkeep server enable ${name}`];
}

function isKeyed(place: string): boolean {
  return place === "env" || place === "headers";
}

function quoteShellWord(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text}'`;
}

function explainDisabled(server: ImportPreviewServer | undefined): string | undefined {
  if (!server || server.enabled) return undefined;
  const { missing } = server;
  if (missing.length === 0) return "disabled as in the client";
  return `disabled: ${missing.join(", ")} ${missing.length === 1 ? "has" : "have"} no value here`;
}

function shortenMiddle(text: string): string {
  if (text.length <= MAX_REACH_WIDTH) return text;
  // Commands on one machine often start alike and differ at the end.
  const start = Math.floor(MAX_REACH_WIDTH / 3);
  return `${text.slice(0, start)}…${text.slice(text.length - (MAX_REACH_WIDTH - 1 - start))}`;
}

function formatList(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${heading}\n${lines.map((line) => `  ${printable(line)}\n`).join("")}`;
}
