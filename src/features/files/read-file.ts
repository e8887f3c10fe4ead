import { defineTool, failed, output, outputContent } from "../../contract/define-native-tool.ts";
import { type Tool, type ToolResult, text } from "../../contract/tool.ts";
import { formatSize } from "../../lib/text/size.ts";
import { type OpenFile, openFile, readAtMost } from "../../machine/files/open-file.ts";
import { looksBinary } from "../../machine/files/text-file.ts";
import { openWorkspace, quoted } from "../../machine/files/workspace.ts";
import type { FileDeps } from "./file-deps.ts";

interface Args {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
}

const MAX_TEXT = 10 * 1024 * 1024;
const MAX_IMAGE = 5 * 1024 * 1024;
const DEFAULT_LINES = 2_000;
const MAX_LINES = 10_000;
const MAX_LINE = 2_000;

export function readFileTool({ home, redact }: FileDeps): Tool {
  return defineTool<Args>({
    name: "read_file",
    title: "Read a file",
    domain: "files",
    description:
      "Read a text file. Each line comes as its number, a tab and the line (like cat -n); the numbers are not part of the file. " +
      `Reads ${DEFAULT_LINES} lines from the beginning unless offset and limit say otherwise; lines longer than ${MAX_LINE} characters are cut. ` +
      "PNG, JPEG, GIF and WebP files up to 5 MB come as an image. Text files up to 10 MB; for larger ones use grep or run_shell.",
    properties: {
      path: {
        type: "string",
        description: "Relative to the workspace, or absolute inside a granted folder.",
      },
      offset: { type: "integer", minimum: 1, description: "The first line to read, counted from 1." },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: MAX_LINES,
        description: `How many lines to read, ${DEFAULT_LINES} unless given.`,
      },
    },
    required: ["path"],
    flags: { readOnly: true, concurrencySafe: true },
    scope: "files",
    async run(args, context) {
      const file = await openFile(await openWorkspace(home, context), args.path);
      if (!file.ok) return failed(file.error);
      try {
        return await readContent(file.value, args, redact);
      } finally {
        await file.value.handle.close();
      }
    },
  });
}

async function readContent(
  file: OpenFile,
  args: Args,
  redact: (text: string) => string,
): Promise<ToolResult> {
  const name = quoted(file.place.shown);
  const bytes = await readAtMost(file, MAX_TEXT);
  const image = detectImageType(bytes);
  if (image && bytes.length <= MAX_IMAGE) {
    const caption = text(`${name}: ${image}, ${formatSize(bytes.length)}`);
    return outputContent([caption, { type: "image", data: bytes.toString("base64"), mimeType: image }]);
  }
  if (image)
    return failed(
      `${name} is an image of ${formatSize(file.stats.size)}; at most 5 MB can be shown. Make it smaller first.`,
    );
  if (bytes.length > MAX_TEXT) {
    return failed(
      `${name} has ${formatSize(file.stats.size)}; read_file takes at most 10 MB. Use grep to find the lines, or run_shell with sed -n '1,200p'.`,
    );
  }
  if (looksBinary(bytes))
    return failed(`${name} is a binary file, not text. Use run_shell with a program that understands it.`);
  return numberLines(name, bytes.toString("utf8"), args, redact);
}

function numberLines(
  name: string,
  whole: string,
  { offset = 1, limit = DEFAULT_LINES }: Args,
  redact: (text: string) => string,
): ToolResult {
  const lines = splitLines(whole);
  if (lines.length === 0) return output(`(${name} is empty)`);
  if (offset > lines.length)
    return failed(`${name} has ${lines.length} lines; offset ${offset} is past its end.`);
  const last = Math.min(lines.length, offset - 1 + limit);
  const body = lines
    .slice(offset - 1, last)
    .map((line, index) => `${String(offset + index).padStart(6)}\t${shortenLine(line, redact)}`)
    .join("\n");
  const rest =
    last < lines.length
      ? `\n(lines ${offset} to ${last} of ${lines.length}; read on with offset ${last + 1})`
      : "";
  return output(body + rest);
}

function splitLines(whole: string): string[] {
  const lines = whole.replace(/^\uFEFF/, "").split(/\r?\n/);
  // A newline ends the last line; it does not start another.
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Redacts before cutting, so that a cut cannot leave half a secret. */
function shortenLine(line: string, redact: (text: string) => string): string {
  if (line.length <= MAX_LINE) return line;
  const redacted = redact(line);
  return redacted.length > MAX_LINE
    ? `${redacted.slice(0, MAX_LINE)}… (${redacted.length - MAX_LINE} more characters)`
    : redacted;
}

/** Detects the type by the first bytes, because a file name proves nothing. */
function detectImageType(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 12).toString("latin1");
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(start)) return "image/gif";
  if (start.startsWith("RIFF") && start.slice(8) === "WEBP") return "image/webp";
  return undefined;
}
