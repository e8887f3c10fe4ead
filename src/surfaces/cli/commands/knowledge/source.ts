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
  const source = shell.group("source", "Manage knowledge sources: folders, notes, bookmarks, mail");

  source.leaf("list", "List sources and their document counts", listSources);
  source.leaf("show <name>", "Show a source and its last sync", showSource, "notes");
  addConfigOptions(
    source
      .leaf(
        "add <kind> [path]",
        `Add a source: ${KINDS}`,
        addSource,
        "folder ~/notes --name notes",
        "obsidian ~/vault --label private",
        "folder ~/code --ignore 'dist/' --ignore '*.min.js'",
      )
      .option("--name <name>", "Name of the source (default: its kind)")
      .option("--label <label>", "Show its documents only to those who may see this label"),
  );
  addConfigOptions(
    source
      .leaf("edit <name>", "Change a source", editSource, "notes --label private", "notes --disable")
      .option("--path <path>", "Location of the documents")
      .option("--rename <name>", "New name")
      .option("--label <label>", "Show its documents only to those who may see this label")
      .option("--no-label", "Show its documents to everybody with the scope")
      .option("--enable", "Include it in syncs again")
      .option("--disable", "Exclude it from syncs; its documents stay"),
  );
  destructive(
    source,
    "remove <name>",
    "Remove a source and its documents from the index",
    (name) => `Remove source ${name} and its documents from the index?`,
    removeSource,
    "notes",
  );
  addConfigOptions(
    source.leaf(
      "test <kind> [path]",
      "Show what a source would read, without adding it",
      testSource,
      "folder ~/notes",
    ),
  );
  return source;
}

function addConfigOptions(command: Command): Command {
  return command
    .option("--ignore <pattern>", "Skip files that match this .gitignore pattern (repeatable)", collect, [])
    .option("--hidden", "Include hidden files")
    .option("--no-gitignore", "Include files that .gitignore excludes")
    .option("--max-file-mb <number>", "Skip larger files")
    .option("--max-files <number>", "Maximum number of files");
}

async function listSources(run: Run): Promise<undefined> {
  const { sources } = await run.get<SourceList>("/api/sources");
  const now = Date.now();
  const rows = sources.map((source) => [
    source.name,
    source.kind,
    source.entities,
    source.chunks,
    formatState(source),
    ago(source.lastSyncAt, now),
    source.label ?? "",
    String(source.config.path ?? ""),
  ]);
  const hint = sources.every(({ kind }) => kind === "inbox")
    ? "Only the inbox exists so far. Add a folder: toolkeep source add folder ~/notes --name notes\n"
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
      ["state", formatState(source)],
      ["label", source.label],
      ["documents", source.entities],
      ["chunks", `${source.chunks}, ${source.embedded} with vectors`],
      ["synced", ago(source.lastSyncAt, Date.now())],
      ["last sync", lastSync && formatReport(lastSync)],
      ["settings", JSON.stringify(source.config)],
    ]) + (problems.length === 0 ? "" : `Files that could not be read:\n${problems.join("")}`),
  );
}

async function addSource(
  run: Run,
  kind: string,
  location: string | undefined,
  options: AddOptions,
): Promise<undefined> {
  const body: NewSource = {
    name: options.name ?? kind,
    kind,
    config: readConfig(run, location, options),
    ...(options.label !== undefined && { label: options.label }),
  };
  const answer = await run.send<SourceAnswer>("POST", "/api/sources", body);
  run.print(answer, `Added ${body.name}. Sync it now: toolkeep sync ${body.name}\n`);
}

async function editSource(run: Run, name: string, options: EditOptions): Promise<undefined> {
  if (options.enable && options.disable)
    throw new ToolkeepError("BAD_USAGE", "--enable and --disable are opposites; give only one");
  const change = readConfig(run, options.path, options);
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
    throw new ToolkeepError("BAD_USAGE", "nothing to change; give at least one option");
  const answer = await run.send<SourceAnswer>("PATCH", path`/api/sources/${name}`, body);
  run.print(
    answer,
    `Changed ${answer.source.name}. Sync it to apply the change: toolkeep sync ${answer.source.name}\n`,
  );
}

async function removeSource(run: Run, name: string): Promise<undefined> {
  const removal = run.send<Done>("DELETE", path`/api/sources/${name}`);
  run.print(
    await run.progress(`Removing ${name}`, removal),
    `Removed ${name} and its documents from the index.\n`,
  );
}

async function testSource(
  run: Run,
  kind: string,
  location: string | undefined,
  options: ConfigOptions,
): Promise<number | undefined> {
  const body = { kind, config: readConfig(run, location, options) };
  const result = await run.progress("Reading", run.send<SourceTest>("POST", "/api/sources/test", body));
  if (!result.ok) {
    run.print(result, `The source cannot be read: ${result.error}\n`);
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

function readConfig(run: Run, location: string | undefined, options: ConfigOptions): Record<string, unknown> {
  const { ignore, hidden, gitignore, maxFileMb, maxFiles } = options;
  return {
    ...(location !== undefined && {
      path: location.startsWith("~") ? location : resolve(run.terminal.cwd, location),
    }),
    ...(ignore.length > 0 && { ignore }),
    ...(hidden && { hidden: true }),
    ...(gitignore === false && { gitignore: false }),
    ...(maxFileMb !== undefined && { max_file_mb: parsePositive(maxFileMb, "--max-file-mb") }),
    ...(maxFiles !== undefined && { max_files: parsePositive(maxFiles, "--max-files") }),
  };
}

function parsePositive(given: string, option: string): number {
  const number = Number(given);
  if (Number.isFinite(number) && number > 0) return number;
  throw new ToolkeepError("BAD_USAGE", `${option} must be a number above 0; got ${given}`);
}

function formatState({ enabled, running, lastSync }: SourceView): string {
  if (running?.phase === "scanning") return `scanning ${running.total ?? 0}`;
  if (running)
    return `${running.phase} ${running.seen}${running.total === undefined ? "" : `/${running.total}`}`;
  if (!enabled) return "disabled";
  if (!lastSync) return "never synced";
  return lastSync.ok ? "ok" : "failed";
}

export function formatReport({
  ok,
  error,
  added,
  changed,
  unchanged,
  gone,
  failed,
  durationMs,
}: NonNullable<SourceView["lastSync"]>): string {
  if (!ok) return `failed, the index is unchanged: ${error ?? "no reason given"}`;
  const counts = `${added} added, ${changed} changed, ${unchanged} unchanged, ${gone} gone`;
  return `${counts}${failed === 0 ? "" : `, ${failed} not read`}, ${(durationMs / 1_000).toFixed(1)} s`;
}
