import type { Block } from "../chunks/block.ts";
import { MAX_TEXT, type ParsedDocument } from "./parsed-document.ts";

/** A text without marks: paragraphs stand apart by empty lines. */
export function parsePlainText(source: string): ParsedDocument {
  const text = source.slice(0, MAX_TEXT);
  return { title: "", type: "text", tags: [], metadata: {}, text, blocks: paragraphs(text) };
}

const DECLARATION =
  /^(?:export\s+|default\s+|public\s+|private\s+|protected\s+|static\s+|abstract\s+|async\s+|final\s+|pub(?:\([a-z]+\))?\s+)*(?:class|interface|function|func|fn|def|struct|enum|trait|impl|type|module|namespace|object|sub|proc|package)\b[^\n]{0,160}/;

/** A program: what stands apart by empty lines is a piece, and what is declared at the left is a heading above what follows. */
export function parseCode(source: string, language: string): ParsedDocument {
  const text = source.slice(0, MAX_TEXT);
  const blocks: Block[] = [];
  for (const { start, end } of paragraphs(text)) {
    const declared = DECLARATION.exec(text.slice(start, start + 200))?.[0];
    const title = declared?.replace(/\s*[{(:=].*$/s, "").trim();
    // Empty, because the line is part of the piece.
    if (title) blocks.push({ kind: "heading", level: 1, title, start, end: start });
    blocks.push({ kind: "lines", start, end });
  }
  return { title: "", type: "code", tags: [], metadata: { language }, text, blocks };
}

export function paragraphs(text: string, from = 0): Block[] {
  const blocks: Block[] = [];
  let open: { start: number; end: number } | undefined;
  for (let start = from; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    if (isBlank(text, start, end)) {
      if (open) blocks.push({ kind: "prose", ...open });
      open = undefined;
    } else if (open) open.end = end;
    else open = { start, end };
    start = end + 1;
  }
  if (open) blocks.push({ kind: "prose", ...open });
  return blocks;
}

export function isBlank(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 9 && code !== 13) return false;
  }
  return true;
}
