import { createHash } from "node:crypto";
import { basename, extname } from "node:path";
import { messageOf } from "../../../contract/errors.ts";
import { chunkBlocks } from "../chunks/chunk-blocks.ts";
import { type FileType, isContainer } from "../sources/file-type.ts";
import { withJournal } from "../sources/journal.ts";
import { parseCsv } from "./csv.ts";
import { decodeFile } from "./decode.ts";
import { parseMarkdown, parseObsidian } from "./markdown.ts";
import { NotNow, type OpenFile, piecesFrom, readStart, withFile } from "./open-file.ts";
import { MAX_TEXT, type Member, type ParsedDocument, Unreadable } from "./parsed-document.ts";
import { parseCode, parsePlainText } from "./plain-text.ts";
import type { ReadDocument, ReadEnd, ReadJob, Resume } from "./read-job.ts";

/** Enough for one message between threads. */
const BATCH_CHARS = 500_000;
const BATCH_MEMBERS = 200;
const MAX_PROBLEMS = 20;

/** The documents of a file that contains many. */
export interface MembersTaken {
  /** All before `next` were handed over with these; the next is read when it has resolved. */
  onMembers(members: readonly ReadDocument[], next: number): Promise<void>;
  /** This one is taken apart from now on; -1: that is done. */
  onMember?(at: number): void;
}

/** Opens, hashes, parses and chunks one file. Without limits of time and memory of its own: it runs in a thread that is watched. */
export async function readFileJob(job: ReadJob, taken: MembersTaken): Promise<ReadEnd> {
  const { root, maxFileBytes: maxBytes } = job.plan;
  try {
    return await withFile(job.path, { root, maxBytes }, (file) =>
      isContainer(job.type) ? readMembers(job, file, taken) : readDocument(job, file),
    );
  } catch (error) {
    if (error instanceof NotNow) return { kind: "failed", reason: error.message, lasting: false };
    if (error instanceof Unreadable) return { kind: "failed", reason: error.message, lasting: true };
    return {
      kind: "failed",
      reason: `it could not be understood: ${messageOf(error).slice(0, 200)}`,
      lasting: true,
    };
  }
}

const TEXTS: ReadonlySet<FileType> = new Set<FileType>(["markdown", "obsidian", "text", "csv", "code"]);

async function readDocument(job: ReadJob, file: OpenFile): Promise<ReadEnd> {
  const { modifiedAt, size } = file;
  // No more of a text is kept, so no more of it is read into memory. A character has at most four bytes.
  const bytes = readStart(file, TEXTS.has(job.type) ? MAX_TEXT * 4 : size);
  const hashing = createHash("sha256").update(bytes);
  for (const piece of piecesFrom(file, bytes.length)) hashing.update(piece);
  const hash = hashing.digest("hex");
  if (hash === job.knownHash) return { kind: "same", modifiedAt, size };
  const parsed = await parseBytes(bytes, job.type, job.path);
  const document = finished(parsed, { key: job.key, path: job.path, modifiedAt, hash });
  return { kind: "read", document, modifiedAt, size };
}

/** Reads a file as one document. */
export async function parseBytes(bytes: Uint8Array, type: FileType, name: string): Promise<ParsedDocument> {
  switch (type) {
    case "markdown":
      return parseMarkdown(decodeFile(bytes));
    case "obsidian":
      return parseObsidian(decodeFile(bytes));
    case "csv":
      return parseCsv(decodeFile(bytes), extname(name).toLowerCase() === ".tsv" ? "\t" : undefined);
    case "code":
      return parseCode(
        decodeFile(bytes),
        extname(name).slice(1).toLowerCase() || basename(name).toLowerCase(),
      );
    case "html": {
      const [{ parseHtmlText }, { decodeText }] = await Promise.all([
        import("./html.ts"),
        import("../../../machine/text/html/decode-text.ts"),
      ]);
      return parseHtmlText(decodeText(bytes, ""));
    }
    case "docx":
      return (await import("./packed/docx.ts")).parseDocx(bytes);
    case "eml":
      return (await import("./packed/mail.ts")).parseMessage(emlxBody(bytes, name));
    case "pdf":
      return (await import("./pdf.ts")).parsePdf(bytes);
    default:
      return parsePlainText(decodeFile(bytes));
  }
}

async function readMembers(job: ReadJob, file: OpenFile, taken: MembersTaken): Promise<ReadEnd> {
  const { modifiedAt, size } = job.type === "bookmarks" ? withJournal(job.path, file) : file;
  const { from, failed } = job.resume ?? NOTHING_YET;
  if (job.resume && (modifiedAt !== job.modifiedAt || size !== job.size))
    throw new NotNow("it changes while it is read");
  const problems: string[] = [];
  const givenUp: string[] = [];
  const onProblem = (problem: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push(problem);
  };
  let batch: ReadDocument[] = [];
  let chars = 0;
  let next = 0;
  const hash = createHash("sha256");
  for await (const member of membersOf(job, file, onProblem)) {
    const at = next++;
    const key = job.key + member.name;
    hash.update(member.name).update("\0").update(member.hash);
    const reason = failed.get(at);
    if (reason !== undefined) {
      givenUp.push(key);
      onProblem(problemOf(member, reason));
    }
    if (at < from || reason !== undefined) continue;
    taken.onMember?.(at);
    const parsed = await readMember(member, onProblem);
    if (parsed) {
      batch.push(finished(parsed, { key, path: job.path, modifiedAt, hash: member.hash }));
      chars += parsed.text.length;
    }
    taken.onMember?.(-1);
    if (chars < BATCH_CHARS && batch.length < BATCH_MEMBERS) continue;
    await taken.onMembers(batch, next);
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) await taken.onMembers(batch, next);
  return { kind: "members", hash: hash.digest("hex"), modifiedAt, size, problems, givenUp };
}

const NOTHING_YET: Resume = { from: 0, failed: new Map() };

async function readMember(
  member: Member,
  onProblem: (problem: string) => void,
): Promise<ParsedDocument | undefined> {
  try {
    return await member.read();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    onProblem(problemOf(member, error.message));
    return undefined;
  }
}

function problemOf({ name }: Member, reason: string): string {
  return `${name.slice(-100)}: ${reason}`;
}

async function* membersOf(
  job: ReadJob,
  file: OpenFile,
  onProblem: (problem: string) => void,
): AsyncGenerator<Member> {
  switch (job.type) {
    case "mbox":
      yield* (await import("./packed/mail.ts")).mailboxMembers(file, onProblem);
      return;
    case "bookmarks":
      yield* (await import("./bookmarks/bookmarks.ts")).bookmarkMembers(
        file,
        { path: job.path, maxBytes: job.plan.maxFileBytes },
        onProblem,
      );
      return;
    default:
      yield* (await import("./packed/notion.ts")).notionMembers(file, parseBytes, onProblem);
  }
}

function finished(
  parsed: ParsedDocument,
  about: { readonly key: string; readonly path: string; readonly modifiedAt: number; readonly hash: string },
): ReadDocument {
  const { key, path, modifiedAt, hash } = about;
  return {
    key,
    title: parsed.title || titleFromName(key),
    type: parsed.type,
    tags: parsed.tags,
    uri: parsed.uri ?? path,
    documentAt: parsed.documentAt ?? modifiedAt,
    metadata: parsed.metadata,
    passages: chunkBlocks(parsed.text, parsed.blocks),
    hash,
  };
}

/** Apple's form has the length of the message in its first line, and a list of its own behind it. */
function emlxBody(bytes: Uint8Array, name: string): Uint8Array {
  if (extname(name).toLowerCase() !== ".emlx") return bytes;
  const [first, length] =
    /^(\d{1,12})\s*\n/.exec(Buffer.from(bytes.subarray(0, 40)).toString("latin1")) ?? [];
  return first === undefined ? bytes : bytes.subarray(first.length, first.length + Number(length));
}

function titleFromName(key: string): string {
  const name = basename(key);
  const extension = extname(name);
  return extension === name ? name : name.slice(0, name.length - extension.length);
}
