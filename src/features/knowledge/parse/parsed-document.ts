import type { Block } from "../chunks/block.ts";

/** The result of parsing a file or one of its members. */
export interface ParsedDocument {
  /** Empty if it has no title; then the file name is used. */
  readonly title: string;
  readonly type: string;
  readonly tags: readonly string[];
  /** An address of its own; absent: the path of its file. */
  readonly uri?: string;
  /** The time that the document states, in milliseconds; absent: that of its file. */
  readonly documentAt?: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The text; blocks and passages refer to positions in it. */
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** One document of a file that holds many: a message, a bookmark, a page of an export. */
export interface Member {
  /** Identifies it within its file. */
  readonly name: string;
  /** SHA-256 of its content. */
  readonly hash: string;
  /** Parses it, which may take long. Throws `Unreadable`. */
  read(): ParsedDocument | Promise<ParsedDocument>;
}

/** Why a file cannot be read, for people. The file is at fault, so it is not tried again until it changes. */
export class Unreadable extends Error {}

/** More of a document's text than this is left out: about a thousand pages. */
export const MAX_TEXT = 4_000_000;
const MAX_TITLE = 300;
const MAX_TAGS = 50;
const MAX_TAG = 60;

/** On one line, within bounds. */
export function titleOf(text: string): string {
  return text
    .slice(0, MAX_TITLE * 4)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, MAX_TITLE);
}

/** Lower case, without `#`, each once. */
export function tagsOf(values: Iterable<unknown>): string[] {
  const tags = new Set<string>();
  for (const value of values) {
    if (typeof value !== "string" && typeof value !== "number") continue;
    const tag = String(value).replace(/\s+/g, " ").trim().replace(/^#+/, "").toLowerCase().slice(0, MAX_TAG);
    if (tag !== "") tags.add(tag);
    if (tags.size >= MAX_TAGS) break;
  }
  return [...tags];
}

/** A time that a document gives; undefined for what is none, or far out of all that documents were written in. */
export function timeOf(value: unknown): number | undefined {
  const time =
    value instanceof Date ? value.getTime() : typeof value === "string" ? Date.parse(value) : value;
  if (typeof time !== "number" || !Number.isFinite(time)) return undefined;
  return time > EARLIEST && time < LATEST ? Math.round(time) : undefined;
}

const EARLIEST = Date.UTC(1000, 0);
const LATEST = Date.UTC(2200, 0);
