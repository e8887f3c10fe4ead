import { lstat } from "node:fs/promises";
import { defineTool, failed, output } from "../../contract/define-native-tool.ts";
import type { Tool, ToolContext, ToolResult } from "../../contract/tool.ts";
import { formatSize } from "../../lib/text/size.ts";
import { type Entry, walk } from "../../machine/files/walk.ts";
import { openWorkspace, quoted } from "../../machine/files/workspace.ts";
import type { FileDeps } from "./file-deps.ts";
import { HiddenEntries } from "./hidden-entries.ts";

interface Args {
  readonly path?: string;
  readonly depth?: number;
}

const MAX_SHOWN = 1_000;
const MAX_COUNTED = 20_000;
/** Includes entries hidden by rules. */
const MAX_SEEN = 50_000;
const MAX_DEPTH = 10;

export function listDirectoryTool({ home }: FileDeps): Tool {
  return defineTool<Args>({
    name: "list_directory",
    title: "List a folder",
    domain: "files",
    description:
      "List what is in a folder, sorted by name, one entry a line: folders end in /, files are followed by their size, symbolic links by @. " +
      `At most ${MAX_SHOWN} entries are shown. Without a path it lists the workspace.`,
    properties: {
      path: {
        type: "string",
        description: 'Relative to the workspace, or absolute inside a granted folder. Default ".".',
      },
      depth: {
        type: "integer",
        minimum: 1,
        maximum: MAX_DEPTH,
        description: "How many levels of folders to open. Default 1: only the folder itself.",
      },
    },
    required: [],
    flags: { readOnly: true, concurrencySafe: true },
    scope: "files",
    run: (args, context) => listFolder(home, args, context),
  });
}

async function listFolder(
  home: string,
  { path = ".", depth = 1 }: Args,
  context: ToolContext,
): Promise<ToolResult> {
  const workspace = await openWorkspace(home, context);
  const place = await workspace.find(path, "read");
  if (!place.ok) return failed(place.error);
  const { real, shown, exists } = place.value;
  if (!exists)
    return failed(`There is no folder ${quoted(shown)}. List the folder above it to see what exists.`);
  if (!(await lstat(real)).isDirectory())
    return failed(`${quoted(shown)} is a file, not a folder. Use read_file to read it.`);

  const lines: string[] = [];
  const leftOut = new HiddenEntries();
  let count = 0;
  let seen = 0;
  for await (const entry of walk(workspace, place.value, { depth, signal: context.signal })) {
    if (++seen > MAX_SEEN) break;
    if (entry.leftOut) {
      leftOut.add(entry);
      continue;
    }
    count++;
    if (count <= MAX_SHOWN) lines.push(await describeEntry(entry));
    if (count === MAX_COUNTED) break;
  }
  const notes = leftOut.notes().map((note) => `(${note})`);
  if (count === 0 && notes.length === 0) return output(`(${quoted(shown)} is empty)`);
  return output([...lines, ...formatRest(count), ...notes].join("\n"));
}

function formatRest(count: number): string[] {
  if (count <= MAX_SHOWN) return [];
  const more = count < MAX_COUNTED ? `${count - MAX_SHOWN}` : `more than ${MAX_COUNTED - MAX_SHOWN - 1}`;
  return [`(${more} more entries; list a folder below, or use a smaller depth)`];
}

async function describeEntry(entry: Entry): Promise<string> {
  switch (entry.kind) {
    case "folder":
      return `${entry.path}/`;
    case "link":
      return `${entry.path}@`;
    case "special":
      return `${entry.path} (pipe, socket or device)`;
    case "file": {
      const stats = await lstat(entry.folder.at(entry.name)).catch(() => undefined);
      return stats ? `${entry.path}\t${formatSize(stats.size)}` : entry.path;
    }
  }
}
