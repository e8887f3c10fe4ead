import type { Block } from "../chunks/block.ts";
import { readFrontMatter } from "./front-matter.ts";
import { MAX_TEXT, type ParsedDocument, tagsOf, titleOf } from "./parsed-document.ts";

/** Markdown by its lines. Its text is that of the file, so places in it are places in the file. */
export function parseMarkdown(source: string): ParsedDocument {
  const text = source.slice(0, MAX_TEXT);
  const front = readFrontMatter(text);
  const blocks = markdownBlocks(text, front.end);
  return {
    title: front.title ?? firstTitle(blocks),
    type: "markdown",
    tags: front.tags,
    ...(front.documentAt !== undefined && { documentAt: front.documentAt }),
    metadata: front.metadata,
    text,
    blocks,
  };
}

const TAG = /(?:^|[\s(])#([\p{L}\p{N}_/-]*[\p{L}_/-][\p{L}\p{N}_/-]*)/gu;
const WIKILINK = /!?\[\[([^\][|#\n]{1,200})(?:#[^\][|\n]{0,200})?(?:\|[^\][\n]{0,200})?\]\]/g;
const MAX_LINKS = 200;
/** The part of a note that is searched for tags and links. */
const MAX_LOOKED_AT = 400_000;

/** A note of an Obsidian vault: its tags stand in the text, too, and it refers to others as `[[name]]`. */
export function parseObsidian(source: string): ParsedDocument {
  const note = parseMarkdown(source);
  const prose = note.blocks
    .filter((block) => block.kind === "prose")
    .map((block) => note.text.slice(block.start, block.end))
    .join("\n")
    .slice(0, MAX_LOOKED_AT);
  const inline = [...prose.matchAll(TAG)].map((match) => match[1]!);
  const links = [...new Set([...prose.matchAll(WIKILINK)].map((match) => match[1]!.trim()))].slice(
    0,
    MAX_LINKS,
  );
  return {
    ...note,
    type: "note",
    tags: tagsOf([...note.tags, ...inline]),
    metadata: { ...note.metadata, ...(links.length > 0 && { links }) },
  };
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const ATX = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const SETEXT = /^ {0,3}(=+|-+)[ \t]*$/;
const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\S/;
const ROW = /^[ \t]*\|/;
/** Longer lines are never a heading, and not worth a look at every character. */
const MAX_MARK_LINE = 500;

/** Blocks of the Markdown in `text` from `from` on: in proportion to its length, whatever it is. */
export function markdownBlocks(text: string, from = 0): Block[] {
  const blocks: Block[] = [];
  /** The paragraph that goes on, if one does. */
  let open: { start: number; end: number; lines: number } | undefined;
  let fence: { mark: string; start: number } | undefined;

  const close = () => {
    if (open) blocks.push({ kind: "prose", start: open.start, end: open.end });
    open = undefined;
  };

  for (let start = from; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const next = newline < 0 ? text.length : newline + 1;
    let end = newline < 0 ? text.length : newline;
    if (end > start && text.charCodeAt(end - 1) === 13) end--;
    const line = text.slice(start, Math.min(end, start + MAX_MARK_LINE));

    if (fence) {
      const mark = FENCE.exec(line)?.[1];
      if (mark?.startsWith(fence.mark) && line.trim() === mark) {
        blocks.push({ kind: "lines", start: fence.start, end });
        fence = undefined;
      }
    } else if (line.trim() === "" && end - start < MAX_MARK_LINE) {
      close();
    } else {
      const mark = FENCE.exec(line)?.[1];
      const atx = end - start < MAX_MARK_LINE ? ATX.exec(line) : null;
      const setext = open?.lines === 1 ? SETEXT.exec(line) : null;
      if (mark) {
        close();
        fence = { mark, start };
      } else if (atx) {
        close();
        blocks.push({
          kind: "heading",
          level: atx[1]!.length,
          title: plainTitle(line.slice(atx[0].length).trim().replace(/#+$/, "")),
          start,
          end,
        });
      } else if (setext && open) {
        const level = setext[1]!.startsWith("=") ? 1 : 2;
        const title = plainTitle(text.slice(open.start, open.end));
        blocks.push({ kind: "heading", level, title, start: open.start, end });
        open = undefined;
      } else if (ITEM.test(line) || ROW.test(line)) {
        close();
        open = { start, end, lines: 2 };
      } else if (open) {
        open.end = end;
        open.lines += 1;
      } else open = { start, end, lines: 1 };
    }
    start = next;
  }
  close();
  if (fence) blocks.push({ kind: "lines", start: fence.start, end: text.length });
  return blocks;
}

/** The outermost heading that comes first. */
export function firstTitle(blocks: readonly Block[]): string {
  const headings = blocks.filter((block) => block.kind === "heading");
  const first = headings.find((heading) => heading.level === 1) ?? headings[0];
  return first ? titleOf(first.title) : "";
}

/** Without the marks of Markdown. */
function plainTitle(title: string): string {
  return titleOf(
    title
      .slice(0, MAX_MARK_LINE)
      .replace(/!?\[\[([^\][|]*?\|)?([^\][]*)\]\]/g, "$2")
      .replace(/!?\[([^\][]*)\]\([^()]*\)/g, "$1")
      .replace(/[*`]|(?<!\w)_|_(?!\w)/g, ""),
  );
}
