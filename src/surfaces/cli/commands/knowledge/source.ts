import { resolve } from "node:path";
import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { path } from "../../../../lib/http/api-path.ts";
import { ago } from "../../../../lib/terminal/ago.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import { fields, table } from "../../../../lib/terminal/table.ts";
import type {
  Done,
  NewSource,
  SourceAnswer,
  SourceEdit,
  SourceList,
  SourceTest,
  SourceView,
} from "../../../api/contract.ts";
import { destructive } from "../../input/destructive.ts";
import { collect, type Run, type Shell } from "../../shell.ts";

interface ConfigOptions {
  readonly ignore: readonly string[];
  readonly hidden?: boolean;
  readonly gitignore?: boolean;
  readonly maxFileMb?: string;
  readonly maxFiles?: string;
}

interface AddOptions extends ConfigOptions {
  readonly name?: string;
  readonly label?: string;
}

interface EditOptions extends ConfigOptions {
  readonly path?: string;
  readonly rename?: string;
  readonly label?: string | false;
  readonly enable?: boolean;
  readonly disable?: boolean;
}

const KINDS = "folder, obsidian, bookmarks, notion, mail or plugin:NAME";

export function sourceCommand(shell: Shell): Command {
  const source = shell.group("source", "where knowledge comes from: folders, notes, bookmarks, mail");

  source.leaf("list", "list the sources, with what was read of them", listSources);
  source.leaf("show <name>", "show a source and how its last sync ended", showSource, "notes");
  configOptions(
    source
      .leaf(
        "add <kind> [path]",
        `add a source: ${KINDS}`,
        addSource,
        "folder ~/notes --name notes",
        "obsidian ~/vault --label private",
        "folder ~/code --ignore 'dist/' --ignore '*.min.js'",
      )
      .option("--name <name>", "what it is called; the kind unless given")
      .option("--label <label>", "only who may see this label sees what it holds"),
  );
  configOptions(
    source
      .leaf(
        "edit <name>",
        "change a source; what is not given stays",
        editSource,
        "notes --label private",
        "notes --disable",
      )
      .option("--path <path>", "where the documents lie")
      .option("--rename <name>", "another name")
      .option("--label <label>", "only who may see this label sees what it holds")
      .option("--no-label", "everybody with the scope sees what it holds")
      .option("--enable", "sync it again with the others")
      .option("--disable", "leave it out of syncs; what was read stays"),
  );
  destructive(
    source,
    "remove <name>",
    "remove a source with everything that was read of it",
    (name) => `Remove source ${name} and everything read of it?`,
    removeSource,
    "notes",
  );
  configOptions(
    source.leaf(
      "test <kind> [path]",
      "read a little of what a source would give, and change nothing",
      testSource,
      "folder ~/notes",
    ),
  );
  return source;
}

function configOptions(command: Command): Command {
  return command
    .option("--ignore <pattern>", "leave out what matches, as in a .gitignore (repeatable)", collect, [])
    .option("--hidden", "read hidden files too")
    .option("--no-gitignore", "read what .gitignore files leave out, too")
    .option("--max-file-mb <number>", "leave out larger files")
    .option("--max-files <number>", "read so many files at most");
}

async function listSources(run: Run): Promise<undefined> {
  const { sources } = await run.get<SourceList>("/api/sources");
  const now = Date.now();
  const rows = sources.map((source) => [
    source.name,
    source.kind,
    source.entities,
    source.chunks,
    stateOf(source),
    ago(source.lastSyncAt, now),
    source.label ?? "",
    String(source.config.path ?? ""),
  ]);
  const hint = sources.every(({ kind }) => kind === "inbox")
    ? "Only the inbox is there yet. Add a folder: toolkeep source add folder ~/notes --name notes\n"
    : "";
  run.print(
    { sources },
    table(
      ["NAME", "KIND", "DOCUMENTS", "CHUNKS", "STATE", "SYNCED", "LABEL", "PATH"],
      rows,
      run.terminal.columns,
    ) + hint,
  );
}

async function showSource(run: Run, name: string): Promise<undefined> {
  const answer = await run.get<SourceAnswer>(path`/api/sources/${name}`);
  const { source } = answer;
  const { lastSync } = source;
  const problems = (lastSync?.problems ?? []).map(({ key, reason }) => `  ${key}: ${reason}\n`);
  run.print(
    answer,
    fields([
      ["name", source.name],
      ["kind", source.kind],
      ["state", stateOf(source)],
      ["label", source.label],
      ["documents", source.entities],
      ["chunks", `${source.chunks}, ${source.embedded} with vectors`],
      ["synced", ago(source.lastSyncAt, Date.now())],
      ["last sync", lastSync && reportText(lastSync)],
      ["settings", JSON.stringify(source.config)],
    ]) + (problems.length === 0 ? "" : `Could not be read, among them:\n${problems.join("")}`),
  );
}

async function addSource(
  run: Run,
  kind: string,
  place: string | undefined,
  options: AddOptions,
): Promise<undefined> {
  const body: NewSource = {
    name: options.name ?? kind,
    kind,
    config: configOf(run, place, options),
    ...(options.label !== undefined && { label: options.label }),
  };
  const answer = await run.send<SourceAnswer>("POST", "/api/sources", body);
  run.print(answer, `Added ${body.name}. Read it now: toolkeep sync ${body.name}\n`);
}

async function editSource(run: Run, name: string, options: EditOptions): Promise<undefined> {
  if (options.enable && options.disable)
    throw new ToolkeepError("BAD_USAGE", "--enable and --disable are opposites; give one of them");
  const change = configOf(run, options.path, options);
  const isConfigured = Object.keys(change).length > 0;
  const before = isConfigured ? (await run.get<SourceAnswer>(path`/api/sources/${name}`)).source.config : {};
  const body: SourceEdit = {
    ...(options.rename !== undefined && { name: options.rename }),
    ...(isConfigured && { config: { ...before, ...change } }),
    ...(options.label !== undefined && { label: options.label === false ? null : options.label }),
    ...(options.enable && { enabled: true }),
    ...(options.disable && { enabled: false }),
  };
  if (Object.keys(body).length === 0)
    throw new ToolkeepError("BAD_USAGE", "nothing to change was given; say what is to be different");
  const answer = await run.send<SourceAnswer>("PATCH", path`/api/sources/${name}`, body);
  run.print(
    answer,
    `Changed ${answer.source.name}. A sync brings it up to date: toolkeep sync ${answer.source.name}\n`,
  );
}

async function removeSource(run: Run, name: string): Promise<undefined> {
  const removed = run.send<Done>("DELETE", path`/api/sources/${name}`);
  run.print(await run.progress(`Removing ${name}`, removed), `Removed ${name} and everything read of it.\n`);
}

async function testSource(
  run: Run,
  kind: string,
  place: string | undefined,
  options: ConfigOptions,
): Promise<number | undefined> {
  const body = { kind, config: configOf(run, place, options) };
  const result = await run.progress("Looking", run.send<SourceTest>("POST", "/api/sources/test", body));
  if (!result.ok) {
    run.print(result, `It cannot be read: ${result.error}\n`);
    return 1;
  }
  const { files, more, sample, problems } = result;
  const lines = [
    `${counted(files, "file")}${more ? " and more" : ""} would be read.`,
    ...sample.map(({ key, title, chunks }) => `  ${key}: ${title}, ${counted(chunks, "chunk")}`),
    ...problems.map(({ key, reason }) => `  ${key}: not read, ${reason}`),
  ];
  run.print(result, `${lines.join("\n")}\n`);
  return undefined;
}

function configOf(run: Run, place: string | undefined, options: ConfigOptions): Record<string, unknown> {
  const { ignore, hidden, gitignore, maxFileMb, maxFiles } = options;
  return {
    ...(place !== undefined && { path: place.startsWith("~") ? place : resolve(run.terminal.cwd, place) }),
    ...(ignore.length > 0 && { ignore }),
    ...(hidden && { hidden: true }),
    ...(gitignore === false && { gitignore: false }),
    ...(maxFileMb !== undefined && { max_file_mb: numberOf(maxFileMb, "--max-file-mb") }),
    ...(maxFiles !== undefined && { max_files: numberOf(maxFiles, "--max-files") }),
  };
}

function numberOf(given: string, option: string): number {
  const number = Number(given);
  if (Number.isFinite(number) && number > 0) return number;
  throw new ToolkeepError("BAD_USAGE", `${option} has to be a number above 0; it is ${given}`);
}

function stateOf({ enabled, running, lastSync }: SourceView): string {
  if (running?.phase === "scanning") return `scanning ${running.total ?? 0}`;
  if (running)
    return `${running.phase} ${running.seen}${running.total === undefined ? "" : `/${running.total}`}`;
  if (!enabled) return "disabled";
  if (!lastSync) return "never synced";
  return lastSync.ok ? "ok" : "failed";
}

export function reportText({
  ok,
  error,
  added,
  changed,
  unchanged,
  gone,
  failed,
  durationMs,
}: NonNullable<SourceView["lastSync"]>): string {
  if (!ok) return `failed, nothing was taken away: ${error ?? "no reason was given"}`;
  const counts = `${added} added, ${changed} changed, ${unchanged} unchanged, ${gone} gone`;
  return `${counts}${failed === 0 ? "" : `, ${failed} not read`}, ${(durationMs / 1_000).toFixed(1)} s`;
}
