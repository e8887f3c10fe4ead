import { constants } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { defineTool, failed, outputContent } from "../../contract/define-native-tool.ts";
import { type Tool, type ToolContext, type ToolResult, text } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import type { NewId } from "../../lib/id.ts";
import { formatSize } from "../../lib/text/size.ts";
import { type OpenFile, openFile } from "../../machine/files/open-file.ts";
import { openWorkspace, quoted } from "../../machine/files/workspace.ts";
import type { AttachmentRecord, AttachmentTable } from "./tables.ts";

export interface AttachDeps {
  readonly home: string;
  readonly attachments: Pick<AttachmentTable, "create">;
  readonly clock: Clock;
  readonly newId: NewId;
}

interface Args {
  readonly path: string;
  readonly note?: string;
}

const MAX_BYTES = 50 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

export function attachFileTool(deps: AttachDeps): Tool {
  return defineTool<Args>({
    name: "attach_file",
    title: "Hand a file to a person",
    domain: "people",
    description:
      "Hand a file to the person you work for, such as a report or a picture. A copy is kept, so the file may change or go afterwards. At most 50 MB.",
    properties: {
      path: {
        type: "string",
        description: "Relative to the workspace, or absolute inside a granted folder.",
      },
      note: { type: "string", maxLength: 2_000, description: "One or two sentences that say what it is." },
    },
    required: ["path"],
    flags: { concurrencySafe: true },
    capabilities: ["fs.read"],
    scope: "human",
    async run(args, context) {
      const file = await openFile(await openWorkspace(deps.home, context), args.path);
      if (!file.ok) return failed(file.error);
      try {
        return await attach(deps, file.value, args, context);
      } finally {
        await file.value.handle.close();
      }
    },
  });
}

async function attach(
  deps: AttachDeps,
  file: OpenFile,
  { note = "" }: Args,
  { caller, signal }: ToolContext,
): Promise<ToolResult> {
  const id = deps.newId("att");
  const name = basename(file.place.real);
  const path = join("attachments", id, name);
  const bytes = await copyFile(file, join(deps.home, path), signal);
  if (bytes === undefined) {
    return failed(`${quoted(file.place.shown)} is larger than 50 MB. Attach a smaller or compressed file.`);
  }
  const attachment: AttachmentRecord = {
    id,
    agentId: caller.agentId,
    conversation: caller.conversation,
    name,
    mimeType: getMimeType(name),
    bytes,
    path,
    note,
    createdAt: deps.clock(),
  };
  await deps.attachments.create(attachment);
  return createResult(deps.home, attachment);
}

/** Copies into a new folder. Undefined if the file is too large; then, and after an error, the folder is removed. */
async function copyFile(file: OpenFile, to: string, signal: AbortSignal): Promise<number | undefined> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  let complete = false;
  try {
    const copied = await copyAtMost(MAX_BYTES + 1, file, to, signal);
    complete = copied <= MAX_BYTES;
    return complete ? copied : undefined;
  } finally {
    if (!complete) await rm(dirname(to), { recursive: true, force: true });
  }
}

/** Reads in a loop instead of a stream: a stream aborted as it starts may emit its error unhandled, which would crash the process. */
async function copyAtMost(limit: number, file: OpenFile, to: string, signal: AbortSignal): Promise<number> {
  const target = await open(to, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let copied = 0;
    while (copied < limit) {
      signal.throwIfAborted();
      const { bytesRead } = await file.handle.read(chunk, 0, Math.min(CHUNK_BYTES, limit - copied), copied);
      if (bytesRead === 0) break;
      await target.writeFile(chunk.subarray(0, bytesRead));
      copied += bytesRead;
    }
    return copied;
  } finally {
    await target.close();
  }
}

function createResult(home: string, { id, name, mimeType, bytes, path }: AttachmentRecord): ToolResult {
  const link = {
    type: "resource_link",
    uri: pathToFileURL(join(home, path)).href,
    name,
    mimeType,
    size: bytes,
  };
  return outputContent(
    [text(`Attached ${quoted(name)} (${mimeType}, ${formatSize(bytes)}) as ${id}.`), link],
    {
      id,
      name,
      bytes,
      mimeType,
    },
  );
}

const MIME_TYPES: Readonly<Record<string, string>> = {
  ".txt": "text/plain",
  ".log": "text/plain",
  ".md": "text/markdown",
  ".html": "text/html",
  ".css": "text/css",
  ".csv": "text/csv",
  ".js": "text/javascript",
  ".ts": "text/plain",
  ".json": "application/json",
  ".xml": "application/xml",
  ".yaml": "application/yaml",
  ".yml": "application/yaml",
  ".pdf": "application/pdf",
  ".zip": "application/zip",
  ".gz": "application/gzip",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".svg": "image/svg+xml",
  ".mp3": "audio/mpeg",
  ".wav": "audio/wav",
  ".mp4": "video/mp4",
  ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

function getMimeType(name: string): string {
  return MIME_TYPES[extname(name).toLowerCase()] ?? "application/octet-stream";
}
