import { createHash } from "node:crypto";
import { decodeAs } from "../decode.ts";
import { type OpenFile, readAt } from "../open-file.ts";
import {
  MAX_TEXT,
  type Member,
  type ParsedDocument,
  tagsOf,
  timeOf,
  titleOf,
  Unreadable,
} from "../parsed-document.ts";
import { paragraphs } from "../plain-text.ts";
import { TextBuilder } from "../text-builder.ts";
import { decodeWords, type MimePart, mimeHeader, mimeParts } from "./mime.ts";

/** Only this much of a larger message is read. */
const MAX_MESSAGE = 32 * 1024 * 1024;
const MAX_MESSAGES = 500_000;
const PIECE = 1024 * 1024;
const SHOWN = ["from", "to", "cc"] as const;
const MAX_ADDRESSES = 2_000;

/** One message: who wrote to whom about what, and its text; of a text in two forms the plain one. */
export async function parseMessage(bytes: Uint8Array): Promise<ParsedDocument> {
  const { root, parts } = mimeParts(bytes);
  const header = (name: string) => decodeWords(root.header(name) ?? "");
  const subject = titleOf(header("subject"));
  const out = new TextBuilder();
  if (subject !== "") out.heading(1, subject);
  const people = SHOWN.map((name) => [name, header(name).slice(0, MAX_ADDRESSES)] as const).filter(
    ([, value]) => value !== "",
  );
  out.lines(people.map(([name, value]) => `${name[0]!.toUpperCase()}${name.slice(1)}: ${value}`).join("\n"));
  const readable = parts.filter((part) => part.fileName === undefined || part === root);
  const plain = readable.filter(({ type }) => type === "text/plain");
  if (plain.length > 0) for (const part of plain) writePlain(textOf(part), out);
  else for (const part of readable) if (part.type === "text/html") await writeHtml(textOf(part), out);
  const attachments = parts.flatMap(({ fileName }) => fileName ?? []).slice(0, 50);
  const documentAt = timeOf(root.header("date"));
  return {
    title: subject || "(no subject)",
    type: "email",
    tags: tagsOf((header("x-gmail-labels") || header("x-keywords") || header("keywords")).split(",")),
    ...(documentAt !== undefined && { documentAt }),
    metadata: { ...Object.fromEntries(people), ...(attachments.length > 0 && { attachments }) },
    ...out.build(),
  };
}

function textOf({ body, type, parameters }: MimePart): string {
  // No more of a text is kept; of HTML much is no text.
  const most = type === "text/html" ? body.length : MAX_TEXT * 4;
  return decodeAs(body.subarray(0, most), parameters.charset);
}

function writePlain(text: string, out: TextBuilder): void {
  for (const { start, end } of paragraphs(text)) out.paragraph(text.slice(start, end).replaceAll("\r", ""));
}

async function writeHtml(html: string, out: TextBuilder): Promise<void> {
  const { parseHtmlText } = await import("../html.ts");
  const { text, blocks } = await parseHtmlText(html);
  for (const { kind, start, end } of blocks)
    if (kind === "lines") out.line(text.slice(start, end));
    else out.paragraph(text.slice(start, end));
}

/** The messages of a mailbox, which is read piece by piece, so it may be as large as it likes. */
export async function* mailboxMembers(
  file: OpenFile,
  onProblem: (problem: string) => void,
): AsyncGenerator<Member> {
  const start = Buffer.alloc(Math.min(5, file.size));
  readAt(file.fd, start, 0);
  if (!start.equals(FROM)) throw new Unreadable("it is not a mailbox");
  const names = new Set<string>();
  const hashes = new Set<string>();
  for (const bytes of mailboxMessages(file)) {
    if (names.size >= MAX_MESSAGES) {
      onProblem(`there are more than ${MAX_MESSAGES} messages; the rest was left out`);
      return;
    }
    const hash = createHash("sha256").update(bytes).digest("hex");
    // Identical messages count once.
    if (hashes.has(hash)) continue;
    const id = /<([^<>\s]{1,500})>/.exec(mimeHeader(bytes, "message-id") ?? "")?.[1];
    const name = id === undefined || names.has(id) ? hash.slice(0, 32) : id;
    hashes.add(hash);
    names.add(name);
    yield { name, hash, read: () => parseMessage(bytes) };
  }
}

/** Each message without the line that begins it. */
function* mailboxMessages(file: OpenFile): Generator<Uint8Array> {
  let left = Buffer.alloc(0);
  let isCut = false;
  for (let position = 0; position < file.size; ) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE, file.size - position));
    const count = readAt(file.fd, piece, position);
    if (count === 0) break;
    position += count;
    let buffer = Buffer.concat([left, piece.subarray(0, count)]);
    // A mark may stand across two pieces: so much of the old one is looked at again.
    let from = Math.max(0, left.length - 8);
    for (let next = nextMark(buffer, from); next >= 0; next = nextMark(buffer, from)) {
      const message = withoutFirstLine(buffer.subarray(0, next));
      if (!isCut && message.length > 0) yield message;
      isCut = false;
      buffer = buffer.subarray(next);
      from = 1;
    }
    if (buffer.length > MAX_MESSAGE) {
      if (!isCut) yield withoutFirstLine(buffer.subarray(0, MAX_MESSAGE));
      isCut = true;
      buffer = buffer.subarray(buffer.length - 8);
    }
    left = buffer;
  }
  const last = isCut ? left.subarray(left.length) : withoutFirstLine(left);
  if (last.length > 0) yield last;
}

/** Where the next message begins: a line `From …` behind an empty one. */
function nextMark(buffer: Buffer, from: number): number {
  for (let at = buffer.indexOf("\nFrom ", from); at >= 0; at = buffer.indexOf("\nFrom ", at + 1)) {
    const isBehindEmpty = buffer[at - 1] === 10 || (buffer[at - 1] === 13 && buffer[at - 2] === 10);
    if (isBehindEmpty) return at + 1;
  }
  return -1;
}

function withoutFirstLine(message: Buffer): Buffer {
  if (!message.subarray(0, 5).equals(FROM)) return message;
  const line = message.indexOf("\n");
  return line < 0 ? message.subarray(message.length) : message.subarray(line + 1);
}

const FROM = Buffer.from("From ");
