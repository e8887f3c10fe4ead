import { randomUUID } from "node:crypto";
import { link, mkdir, readdir, stat, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import type { InboxFile, InboxInput, InboxList } from "./contract.ts";
import type { KnowledgeSync } from "./knowledge.ts";
import { metadataOf, storable, tagsOf } from "./memory/memory-text.ts";

export interface InboxDeps {
  readonly sync: Pick<KnowledgeSync, "inbox" | "sync">;
  /** Removes known secrets, because models read the inbox. */
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  /** Called with the name of the source after a file was added. */
  readonly onPut?: (source: string) => void;
}

export interface InboxDocument extends InboxInput {
  /** Who put it there. */
  readonly by: string;
}

const ENDING = /\.([a-z0-9]{1,10})$/i;
const EXTENSION = /^[a-z0-9]{1,10}$/;
/** Formats that are not text, and files that a desktop or a shell runs when somebody opens them. */
const REFUSED_EXTENSIONS = new Set(
  (
    "pdf doc docx xls xlsx ppt pptx odt ods odp zip gz tgz tar 7z rar eml mbox sqlite db png jpg jpeg gif webp ico mp3 mp4 " +
    "exe com scr bat cmd msi pif cpl hta lnk url desktop app command workflow jar dll so dylib reg ps1 vbs vbe wsf wsh jse service"
  ).split(" "),
);
const MAX_CONTENT_CHARS = 1_000_000;
const MAX_TITLE_CHARS = 300;
const MAX_TAGS = 50;
const MAX_FILES = 10_000;
const MAX_NAME_CHARS = 80;
const MAX_NUMBER = 1_000;
/** Names that Windows reserves. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** The folder where agents put documents to be found later. Files in it are never overwritten. */
export class Inbox {
  readonly #deps: InboxDeps;

  constructor(deps: InboxDeps) {
    this.#deps = deps;
  }

  /** Resolves with the name of the new file. Throws BAD_REQUEST for content that the inbox does not take. */
  async put(
    input: InboxDocument,
  ): Promise<{ readonly name: string; readonly path: string; readonly source: string }> {
    const extension = extensionOf(input);
    checkDocument(input);
    const { folder, source } = await this.#deps.sync.inbox();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if ((await readdir(folder)).length >= MAX_FILES)
      throw new ToolkeepError(
        "BAD_REQUEST",
        `the inbox holds ${MAX_FILES} files, which is the most; a person has to tidy it`,
      );
    const text = this.#textOf(input, extension);
    const name = await writeNewFile(folder, stemOf(input, extension, this.#deps.clock()), extension, text);
    this.#deps.onPut?.(source.name);
    return { name, path: join(folder, name), source: source.name };
  }

  /** Newest first, at most `limit`. */
  async list(limit: number): Promise<InboxList> {
    const { folder } = await this.#deps.sync.inbox();
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const names = entries
      .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
      .map(({ name }) => name);
    const files: InboxFile[] = [];
    for (const name of names.slice(0, MAX_FILES)) {
      const found = await stat(join(folder, name)).catch(() => undefined);
      if (found) files.push({ name, bytes: found.size, modifiedAt: Math.round(found.mtimeMs) });
    }
    files.sort((a, b) => b.modifiedAt - a.modifiedAt || (a.name < b.name ? -1 : 1));
    return { folder, files: files.slice(0, limit), total: names.length };
  }

  #textOf({ content, title, tags = [], metadata = {}, by }: InboxDocument, extension: string): string {
    const safe = (text: string) => this.#deps.redact(storable(text));
    const body = safe(content);
    if (extension !== "md") return body;
    const said = {
      ...(title !== undefined && { title: safe(title) }),
      ...(tags.length > 0 && { tags: tagsOf(tags.map(safe)) }),
      created: new Date(this.#deps.clock()).toISOString(),
      author: by,
      ...(Object.keys(metadata).length > 0 && { metadata: metadataOf(metadata, safe) }),
    };
    // JSON is valid YAML, and its quotes prevent misreadings.
    const lines = Object.entries(said).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    return `---\n${lines.join("\n")}\n---\n\n${body}${body.endsWith("\n") ? "" : "\n"}`;
  }
}

function checkDocument({ content, title = "", tags = [] }: InboxDocument): void {
  const problem =
    content.trim() === ""
      ? "expected content; got only spaces"
      : content.length > MAX_CONTENT_CHARS
        ? `content may have ${MAX_CONTENT_CHARS} characters at most; this has ${content.length}`
        : title.length > MAX_TITLE_CHARS
          ? `a title may have ${MAX_TITLE_CHARS} characters at most`
          : tags.length > MAX_TAGS || tags.some((tag) => tag.length > 100)
            ? `expected at most ${MAX_TAGS} tags of at most 100 characters`
            : undefined;
  if (problem !== undefined) throw new ToolkeepError("BAD_REQUEST", problem);
}

/** The given extension; otherwise that of the file name if it is safe; otherwise `md`. */
function extensionOf({ extension, filename }: InboxDocument): string {
  const given = extension?.trim().replace(/^\./, "").toLowerCase();
  const ofName = ENDING.exec(filename?.trim() ?? "")?.[1]?.toLowerCase();
  const wanted = given ?? (ofName !== undefined && isSafeExtension(ofName) ? ofName : "md");
  if (isSafeExtension(wanted)) return wanted === "markdown" ? "md" : wanted;
  const reason = REFUSED_EXTENSIONS.has(wanted)
    ? `the inbox takes text, and ${wanted} files are not text or can be run`
    : "expected an extension of one to ten letters and digits, such as md, txt, json or csv";
  throw new ToolkeepError("BAD_REQUEST", `${reason}; got ${JSON.stringify(wanted.slice(0, 20))}`);
}

function isSafeExtension(extension: string): boolean {
  return EXTENSION.test(extension) && !REFUSED_EXTENSIONS.has(extension);
}

/** The file name without extension, reduced to letters, digits, `-`, `_` and inner `.`. */
function stemOf({ filename, title }: InboxDocument, extension: string, now: number): string {
  const named = filename?.trim() ?? title ?? "";
  const ending = ENDING.exec(named)?.[1]?.toLowerCase() ?? "";
  const isReplaced = [extension, "md", "markdown", "txt"].includes(ending);
  const wanted = isReplaced ? named.slice(0, named.lastIndexOf(".")) : named;
  const stem = wanted
    .normalize("NFKC")
    .replace(/[^\p{L}\p{N}\p{M}._-]+/gu, "-")
    .replace(/\.{2,}/g, ".")
    .replace(/^[-._]+/, "")
    .slice(0, MAX_NAME_CHARS)
    .replace(/[-._]+$/, "");
  const dated = new Date(now).toISOString().slice(0, 19).replace(/[:T]/g, "-");
  if (stem === "") return `note-${dated}`;
  return RESERVED.test(stem) ? `${stem}-note` : stem;
}

/** Writes the file atomically, under the first free number. */
async function writeNewFile(folder: string, stem: string, extension: string, text: string): Promise<string> {
  const draft = join(folder, `.${randomUUID()}.tmp`);
  await writeFile(draft, text, { flag: "wx", mode: 0o600 });
  try {
    for (let number = 1; number <= MAX_NUMBER; number++) {
      const name = `${stem}${number === 1 ? "" : `-${number}`}.${extension}`;
      try {
        await link(draft, join(folder, name));
        return name;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
    }
    throw new ToolkeepError(
      "BAD_REQUEST",
      `${MAX_NUMBER} files are named ${stem} already; choose another filename`,
    );
  } finally {
    await unlink(draft);
  }
}
