import { createHash } from "node:crypto";
import { basename, extname } from "node:path";
import type { FileType } from "../../sources/file-type.ts";
import { type OpenFile, readAt } from "../open-file.ts";
import { type Member, type ParsedDocument, titleOf, Unreadable } from "../parsed-document.ts";
import { bytesOf, type ReadBytes, type ZipEntry, zipEntries } from "./zip.ts";

/** The most bytes of one page, unpacked; an archive within the archive may be larger. */
const MAX_PAGE = 32 * 1024 * 1024;
const MAX_INNER = 512 * 1024 * 1024;
/** The most bytes unpacked from one archive. */
const MAX_UNPACKED = 4 * 1024 * 1024 * 1024;
const MAX_NESTED = 3;
const MAX_PROBLEMS = 20;

const TYPES: Readonly<Record<string, FileType>> = {
  ".md": "markdown",
  ".markdown": "markdown",
  ".html": "html",
  ".htm": "html",
  ".csv": "csv",
  ".txt": "text",
  ".pdf": "pdf",
  ".docx": "docx",
};

/** The id that Notion puts behind the name of a page. */
const ID = /[ _-]?\b[0-9a-f]{32}\b/gi;

type Parse = (bytes: Uint8Array, type: FileType, name: string) => Promise<ParsedDocument>;

/** Pages, tables and attached documents of an export of Notion, also where archives lie in the archive. */
export async function* notionMembers(
  file: OpenFile,
  parse: Parse,
  onProblem: (problem: string) => void,
): AsyncGenerator<Member> {
  const read: ReadBytes = (position, length) => {
    const bytes = Buffer.alloc(Math.min(length, Math.max(0, file.size - position)));
    return bytes.subarray(0, readAt(file.fd, bytes, position));
  };
  let problems = 0;
  const report = (problem: string) => {
    if (++problems <= MAX_PROBLEMS) onProblem(problem);
  };
  const budget = { left: MAX_UNPACKED };
  const seen = new Set<string>();
  for await (const member of archiveMembers(await zipEntries(file.size, read), {
    parse,
    report,
    budget,
    depth: 0,
  })) {
    if (seen.has(member.name)) continue;
    seen.add(member.name);
    yield member;
  }
}

interface Unpacking {
  readonly parse: Parse;
  readonly report: (problem: string) => void;
  readonly budget: { left: number };
  readonly depth: number;
}

async function* archiveMembers(entries: readonly ZipEntry[], unpacking: Unpacking): AsyncGenerator<Member> {
  const { parse, report, budget, depth } = unpacking;
  for (const entry of entries) {
    const extension = extname(entry.name).toLowerCase();
    const type = TYPES[extension];
    const isArchive = extension === ".zip";
    // The second form of a table has the rows that a view hides; its first is enough.
    if ((!type && !isArchive) || entry.name.startsWith("__MACOSX/")) continue;
    try {
      if (isArchive && depth >= MAX_NESTED) throw new Unreadable(`archives lie more than ${MAX_NESTED} deep`);
      const bytes = await entry.read(Math.min(isArchive ? MAX_INNER : MAX_PAGE, budget.left));
      budget.left -= bytes.length;
      if (isArchive)
        yield* archiveMembers(await zipEntries(bytes.length, bytesOf(bytes)), {
          ...unpacking,
          depth: depth + 1,
        });
      else yield memberOf(entry, bytes, () => parse(bytes, type!, entry.name));
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      report(`${entry.name.slice(-100)}: ${error.message}`);
    }
  }
}

function memberOf(entry: ZipEntry, bytes: Uint8Array, parse: () => Promise<ParsedDocument>): Member {
  return {
    name: entry.name.replaceAll("\0", "\uFFFD"),
    hash: createHash("sha256").update(bytes).digest("hex"),
    read: async () => pageOf(entry, await parse()),
  };
}

function pageOf({ name, modifiedAt }: ZipEntry, parsed: ParsedDocument): ParsedDocument {
  const folders = name
    .split("/")
    .slice(0, -1)
    .map(withoutId)
    .filter((folder) => folder !== "");
  return {
    ...parsed,
    title: withoutId(parsed.title) || titleOf(withoutId(basename(name, extname(name)))),
    type: parsed.type === "markdown" || parsed.type === "html" ? "page" : parsed.type,
    ...(parsed.documentAt === undefined && modifiedAt !== undefined && { documentAt: modifiedAt }),
    metadata: {
      ...parsed.metadata,
      ...(folders.length > 0 && { folder: folders.join(" / ").slice(0, 1_000) }),
    },
  };
}

function withoutId(name: string): string {
  return name.replaceAll(ID, "").trim();
}
