import type { ImportPreview, ImportPreviewServer, ImportResult } from "../api/contract.ts";
import { printable } from "../daemon/printable.ts";
import { table } from "./table.ts";

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
  return table(["NAME", "STATE", "TOOLS", "NOTE"], rows, columns);
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
      return `same as registered ${verdict.name}`;
    case "completed":
      return `gives ${verdict.name} the values it lacked`;
    case "skipped":
      return `skipped: ${verdict.reason}`;
  }
}

function disabledBecause(server: ImportPreviewServer | undefined): string | undefined {
  if (!server || server.enabled) return undefined;
  const { missing } = server;
  if (missing.length === 0) return "disabled as in the client";
  return `disabled: nothing here says what ${missing.join(", ")} ${missing.length === 1 ? "is" : "are"}`;
}

function shortened(text: string): string {
  return text.length <= WIDEST_REACH ? text : `${text.slice(0, WIDEST_REACH - 1)}…`;
}

function list(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${heading}\n${lines.map((line) => `  ${printable(line)}\n`).join("")}`;
}
