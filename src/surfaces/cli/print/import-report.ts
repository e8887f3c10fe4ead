import { splitPart } from "../../../features/clients/reach.ts";
import { printable } from "../../../lib/terminal/printable.ts";
import { table } from "../../../lib/terminal/table.ts";
import type { ImportPreview, ImportPreviewServer, ImportResult, ImportVerdict } from "../../api/contract.ts";

/** A longer command would push what will happen off the screen. */
const WIDEST_REACH = 50;

/** What was found and what will happen with it, for people. */
export function previewReport({ servers, files }: ImportPreview, columns: number): string {
  const rows = servers.map((server) => [
    server.name,
    server.clients.join(", ") + (server.project === null ? "" : " (project)"),
    shortened(server.reach),
    whatHappens(server),
  ]);
  const notes = servers.flatMap(({ name, notes }) => notes.map((note) => `${name}: ${note}`));
  const problems = files.flatMap(({ path, problem }) => (problem === null ? [] : [`${path}: ${problem}`]));
  return [
    rows.length === 0 ? "" : table(["NAME", "CLIENTS", "REACHED BY", "WHAT HAPPENS"], rows, columns),
    list("Worth knowing:", notes),
    list(
      "To give what is missing:",
      servers.filter(({ verdict }) => verdict.kind === "same").flatMap(remedy),
    ),
    list("Left out:", problems),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

/** What became of the servers, with their tools and errors. */
export function resultReport(
  results: readonly ImportResult[],
  previews: readonly ImportPreviewServer[],
  columns: number,
): string {
  const rows = results.map(({ verdict, server, error }) => {
    const name = "name" in verdict ? verdict.name : "";
    const preview = previews.find((one) => "name" in one.verdict && one.verdict.name === name);
    const why = disabledBecause(preview);
    return [name, server?.state ?? "failed", server?.toolCount ?? 0, error ?? why ?? server?.lastError ?? ""];
  });
  const imported = previews.filter((one) =>
    results.some(
      ({ verdict }) => "name" in verdict && "name" in one.verdict && verdict.name === one.verdict.name,
    ),
  );
  const remedies = list("To give what is missing:", imported.flatMap(remedy));
  return [table(["NAME", "STATE", "TOOLS", "NOTE"], rows, columns), remedies]
    .filter((part) => part !== "")
    .join("\n");
}

function whatHappens(server: ImportPreviewServer): string {
  const { verdict } = server;
  const disabled = disabledBecause(server);
  const but = disabled === undefined ? "" : `, ${disabled}`;
  switch (verdict.kind) {
    case "new":
      return `new${but}`;
    case "renamed":
      return `name ${verdict.why}, imported as ${verdict.name}${but}`;
    case "same":
      return `same as registered ${verdict.name}${sameBut(verdict)}`;
    case "completed":
      return `gives ${verdict.name} the values it lacked`;
    case "skipped":
      return `skipped: ${verdict.reason}`;
  }
}

function sameBut({ lacks = [], otherValues }: Extract<ImportVerdict, { kind: "same" }>): string {
  const names = lacks.map((part) => splitPart(part)).map(([place, key]) => (isKeyed(place) ? key : place));
  const parts = [
    ...(names.length === 0 ? [] : [`which still lacks ${[...new Set(names)].join(", ")}`]),
    ...(otherValues ? ["which has other values"] : []),
  ];
  return parts.map((part) => `, ${part}`).join("");
}

/** How a person gives a server the values that nothing here says. */
function remedy({ verdict, missing, missingIn }: ImportPreviewServer): string[] {
  if (verdict.kind === "skipped" || verdict.kind === "completed") return [];
  const lacks = verdict.kind === "same" ? (verdict.lacks ?? []) : missingIn;
  if (lacks.length === 0) return [];
  const parts = lacks.map((part) => splitPart(part));
  if (parts.some(([place]) => !isKeyed(place)))
    return [`${verdict.name}: set what ${missing.join(", ")} stands for, then toolkeep import again`];
  const options = parts.map(
    ([place, key = ""]) => `${place === "env" ? "--env" : "--header"} ${shellWord(key)}`,
  );
  const name = shellWord(verdict.name);
  return [`toolkeep server edit ${name} ${options.join(" ")}, then toolkeep server enable ${name}`];
}

function isKeyed(place: string): boolean {
  return place === "env" || place === "headers";
}

function shellWord(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text}'`;
}

function disabledBecause(server: ImportPreviewServer | undefined): string | undefined {
  if (!server || server.enabled) return undefined;
  const { missing } = server;
  if (missing.length === 0) return "disabled as in the client";
  return `disabled: nothing here says what ${missing.join(", ")} ${missing.length === 1 ? "is" : "are"}`;
}

function shortened(text: string): string {
  if (text.length <= WIDEST_REACH) return text;
  // Commands of one machine begin alike; what tells them apart is at the end.
  const start = Math.floor(WIDEST_REACH / 3);
  return `${text.slice(0, start)}…${text.slice(text.length - (WIDEST_REACH - 1 - start))}`;
}

function list(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${heading}\n${lines.map((line) => `  ${printable(line)}\n`).join("")}`;
}
