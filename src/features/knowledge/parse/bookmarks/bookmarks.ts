import { createHash } from "node:crypto";
import { isRecord } from "../../../../lib/json.ts";
import { decodeFile, storableText } from "../decode.ts";
import { type OpenFile, readStart } from "../open-file.ts";
import { unescaped } from "../packed/xml.ts";
import { type Member, type ParsedDocument, tagsOf, timeOf, titleOf, Unreadable } from "../parsed-document.ts";
import { TextBuilder } from "../text-builder.ts";
import type { Bookmark } from "./bookmark.ts";

const MAX_BOOKMARKS = 200_000;
const MAX_DEPTH = 50;
const MAX_URL = 4_000;

/** Bookmarks of a browser, each once by its address: Chrome's own file, Firefox' database, and what browsers export. */
export async function* bookmarkMembers(
  file: OpenFile,
  { path, maxBytes }: { readonly path: string; readonly maxBytes: number },
  onProblem: (problem: string) => void,
): AsyncGenerator<Member> {
  const seen = new Set<string>();
  for await (const bookmark of readBookmarks(file, path, maxBytes)) {
    const url = storableText(bookmark.url.trim()).slice(0, MAX_URL);
    // Others run a script or open a page of the browser itself.
    if (!/^(https?|ftp|file):/i.test(url) || seen.has(url)) continue;
    if (seen.size >= MAX_BOOKMARKS) {
      onProblem(`there are more than ${MAX_BOOKMARKS} bookmarks; the rest was left out`);
      return;
    }
    seen.add(url);
    yield memberOf({ ...bookmark, url });
  }
}

async function* readBookmarks(file: OpenFile, path: string, maxBytes: number): AsyncGenerator<Bookmark> {
  const bytes = readStart(file);
  if (Buffer.from(bytes.subarray(0, 15)).toString("latin1") === "SQLite format 3") {
    const { firefoxBookmarks } = await import("./firefox-places.ts");
    yield* await firefoxBookmarks(path, maxBytes);
    return;
  }
  const text = decodeFile(bytes);
  if (/^\s*[{[]/.test(text)) yield* jsonBookmarks(parsedJson(text));
  else if (/<!DOCTYPE NETSCAPE-Bookmark|<DL>|<DT>/i.test(text.slice(0, 10_000))) yield* htmlBookmarks(text);
  else throw new Unreadable("it holds no bookmarks of Chrome, Firefox or an export of them");
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Unreadable("it is not valid JSON");
  }
}

/** Chrome has `roots` with `children`, Firefox a tree of `children` with `uri`. */
function* jsonBookmarks(value: unknown): Generator<Bookmark> {
  if (!isRecord(value)) throw new Unreadable("it holds no bookmarks");
  const roots = isRecord(value.roots) ? Object.values(value.roots) : [value];
  const stack = roots.reverse().map((node) => ({ node, folders: [] as readonly string[] }));
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, folders } = next;
    if (!isRecord(node)) continue;
    const title = textOf(node.name ?? node.title);
    const url = textOf(node.url ?? node.uri);
    if (url !== "" && !Array.isArray(node.children)) {
      yield { url, title, folders, tags: textOf(node.tags).split(","), addedAt: jsonTime(node) };
    } else if (Array.isArray(node.children) && folders.length < MAX_DEPTH) {
      const inner = title === "" || node.root ? folders : [...folders, title];
      for (const child of node.children.toReversed()) stack.push({ node: child, folders: inner });
    }
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Chrome counts microseconds since 1601, as text; Firefox since 1970. */
function jsonTime({ date_added, dateAdded }: Record<string, unknown>): number | undefined {
  if (typeof dateAdded === "number") return timeOf(dateAdded / 1_000);
  return typeof date_added === "string" ? timeOf(Number(date_added) / 1_000 - SINCE_1601) : undefined;
}

const SINCE_1601 = 11_644_473_600_000;
const TAG = /<(\/?)(H3|A|DL|DD)\b([^>]{0,20000})>([^<]{0,5000})/gi;
const ATTRIBUTE = /([\w-]{1,40})\s*=\s*"([^"]{0,10000})"/g;

/** The format that every browser exports: `<DT><H3>Folder</H3><DL> <DT><A HREF ADD_DATE TAGS>Title</A>`. */
function* htmlBookmarks(html: string): Generator<Bookmark> {
  const folders: string[] = [];
  let opening = "";
  for (const [, slash, tag, inside, text] of html.matchAll(TAG)) {
    const name = tag!.toUpperCase();
    if (name === "DL" && slash === "/") folders.pop();
    else if (name === "DL") {
      folders.push(folders.length < MAX_DEPTH ? opening : "");
      opening = "";
    } else if (name === "H3" && slash === "") opening = titleOf(unescaped(text!));
    else if (name === "A" && slash === "") {
      const said = Object.fromEntries(
        [...inside!.matchAll(ATTRIBUTE)].map(([, key, value]) => [key!.toLowerCase(), unescaped(value!)]),
      );
      const seconds = Number(said.add_date);
      yield {
        url: said.href ?? "",
        title: unescaped(text!),
        folders: folders.filter((folder) => folder !== ""),
        tags: (said.tags ?? "").split(","),
        addedAt: seconds > 0 ? timeOf(seconds * 1_000) : undefined,
      };
    }
  }
}

function memberOf(bookmark: Bookmark): Member {
  const { url, title, folders, tags, addedAt, note } = bookmark;
  const hash = createHash("sha256")
    .update(JSON.stringify([url, title, folders, tags, note, addedAt]))
    .digest("hex");
  return { name: url, hash, read: () => documentOf(bookmark) };
}

function documentOf({ url, title, folders, tags, addedAt, note }: Bookmark): ParsedDocument {
  const shown = titleOf(storableText(title)) || url;
  const folder = folders.map((one) => titleOf(storableText(one))).join(" / ");
  const out = new TextBuilder();
  out.line(shown);
  out.line(url);
  if (folders.length > 0) out.line(folder);
  if (note) out.paragraph(storableText(note.slice(0, 10_000)));
  return {
    title: shown,
    type: "bookmark",
    tags: tagsOf(tags.map(storableText)),
    uri: url,
    ...(addedAt !== undefined && { documentAt: addedAt }),
    metadata: folders.length > 0 ? { folder } : {},
    ...out.build(),
  };
}
