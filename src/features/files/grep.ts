import { lstat } from "node:fs/promises";
import { defineTool, failed, output } from "../../contract/define-native-tool.ts";
import type { Tool, ToolContext, ToolResult } from "../../contract/tool.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { createGlob, type GlobMatcher } from "../../lib/text/glob.ts";
import { type OpenFile, openIn, openPlace, readAtMost } from "../../machine/files/open-file.ts";
import { looksBinary } from "../../machine/files/text-file.ts";
import { walk } from "../../machine/files/walk.ts";
import { type FilePlace, openWorkspace, quoted, type Workspace } from "../../machine/files/workspace.ts";
import type { FileDeps } from "./file-deps.ts";
import { createReport, type GrepReport } from "./grep-report.ts";
import { startLineSearch } from "./line-search.ts";

interface Args {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly ignore_case?: boolean;
  readonly context?: number;
  readonly max_results?: number;
}

const TIME_LIMIT_MS = 10_000;
const MAX_FILE = 5 * 1024 * 1024;
const MAX_ENTRIES = 50_000;
const SKIPPED = new Set([".git", "node_modules"]);

export function grepTool({ home, redact }: FileDeps, timeLimitMs = TIME_LIMIT_MS): Tool {
  return defineTool<Args>({
    name: "grep",
    title: "Search in files",
    domain: "files",
    description:
      "Find lines that match a JavaScript regular expression, in one file or in all text files below a folder. " +
      "Answers path:line:text for matches and path-line-text for context lines. Matches line by line. " +
      "Leaves out .git, node_modules, binary files, files over 5 MB and symbolic links; stops after 10 seconds.",
    properties: {
      pattern: {
        type: "string",
        minLength: 1,
        maxLength: 1_000,
        description: "A JavaScript regular expression, without slashes.",
      },
      path: {
        type: "string",
        description: "A file or folder, relative to the workspace or absolute. Default: the workspace.",
      },
      glob: {
        type: "string",
        maxLength: 500,
        description: 'Only files whose path fits, such as "*.ts", "src/**/*.{ts,tsx}". Takes * ? ** {a,b}.',
      },
      ignore_case: { type: "boolean", description: "Treat upper and lower case alike. Default false." },
      context: {
        type: "integer",
        minimum: 0,
        maximum: 10,
        description: "Lines to show before and after each match. Default 0.",
      },
      max_results: {
        type: "integer",
        minimum: 1,
        maximum: 1_000,
        description: "Stop after this many matching lines. Default 100.",
      },
    },
    required: ["pattern"],
    flags: { readOnly: true, concurrencySafe: true },
    scope: "files",
    timeoutMs: 30_000,
    run: (args, context) => grep({ home, redact }, args, context, timeLimitMs),
  });
}

async function grep(
  { home, redact }: Pick<FileDeps, "home" | "redact">,
  args: Args,
  context: ToolContext,
  timeLimitMs: number,
): Promise<ToolResult> {
  const query = parseArguments(args);
  if (!query.ok) return failed(query.error);
  const workspace = await openWorkspace(home, context);
  const place = await workspace.find(args.path ?? ".", "read");
  if (!place.ok) return failed(place.error);
  if (!place.value.exists)
    return failed(
      `There is no file or folder ${quoted(place.value.shown)}. Use list_directory to see what exists.`,
    );

  const search = startLineSearch(args.pattern, query.value.flags, redact);
  const stop = new AbortController();
  const end = () => stop.abort();
  const timer = setTimeout(end, timeLimitMs);
  context.signal.addEventListener("abort", end);
  // Closing the thread settles a running search, so that the loop below continues and sees that it was stopped.
  stop.signal.addEventListener("abort", () => void search.close());
  try {
    const report = createReport(args.max_results ?? 100);
    for await (const file of readTextFiles(workspace, place.value, query.value.glob, report, stop.signal)) {
      const options = { context: args.context ?? 0, max: report.remaining() };
      const matches = await search.search(file.bytes, options);
      if (matches) report.add(file.shown, matches);
      if (report.isFull()) break;
    }
    context.signal.throwIfAborted();
    if (stop.signal.aborted)
      report.note(`stopped after ${timeLimitMs / 1_000} s; use a simpler pattern, a path or a glob`);
    return output(report.text());
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener("abort", end);
    await search.close();
  }
}

function parseArguments(args: Args): Result<{ flags: string; glob: GlobMatcher | undefined }, string> {
  const flags = args.ignore_case ? "i" : "";
  try {
    new RegExp(args.pattern, flags);
  } catch (thrown) {
    return err(
      `${(thrown as Error).message}. Correct the pattern; escape special characters with a backslash to find them literally.`,
    );
  }
  if (args.glob === undefined) return ok({ flags, glob: undefined });
  const glob = createGlob(args.glob);
  return glob ? ok({ flags, glob }) : err("The glob has more than 64 alternatives. Use fewer braces.");
}

/** Reads the files to search. Ends without an error when the signal aborts. */
async function* readTextFiles(
  workspace: Workspace,
  start: FilePlace,
  glob: GlobMatcher | undefined,
  report: GrepReport,
  signal: AbortSignal,
): AsyncGenerator<{ shown: string; bytes: Buffer }> {
  try {
    for await (const file of openFiles(workspace, start, glob, report, signal)) {
      const bytes = await readAtMost(file, MAX_FILE).finally(() => file.handle.close());
      if (bytes.length > MAX_FILE) report.skip();
      else if (!looksBinary(bytes)) yield { shown: file.place.shown, bytes };
      if (signal.aborted) return;
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
}

async function* openFiles(
  workspace: Workspace,
  start: FilePlace,
  glob: GlobMatcher | undefined,
  report: GrepReport,
  signal: AbortSignal,
): AsyncGenerator<OpenFile> {
  if (!(await lstat(start.real)).isDirectory()) {
    const file = await openPlace(workspace, start);
    if (file.ok) yield file.value;
    return;
  }
  let seen = 0;
  const options = { depth: Number.POSITIVE_INFINITY, skip: (name: string) => SKIPPED.has(name), signal };
  for await (const entry of walk(workspace, start, options)) {
    if (++seen > MAX_ENTRIES)
      return report.note(`stopped after ${MAX_ENTRIES} files and folders; give a path`);
    if (entry.leftOut === "whole") report.leaveOut(entry);
    if (entry.kind !== "file" || (glob && !glob(entry.path))) continue;
    if (entry.leftOut) {
      report.leaveOut(entry);
      continue;
    }
    const place = { real: entry.real, shown: workspace.show(entry.real), exists: true };
    // A file that vanished or is unreadable must not hide the others.
    const file = await openIn(entry.folder, place).catch(() => undefined);
    if (file?.ok) yield file.value;
  }
}
