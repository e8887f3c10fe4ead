/**
 * Changes single keys of JSON text, with comments and trailing commas, and leaves every other character as it is. The
 * text has been parsed before, so that nothing is checked here. `jsonc-parser` says where everything stands; its own
 * `modify` is not used, because it moves a remark to the next key, or removes it with a key that it is not about.
 */
import { createScanner, type Node, parseTree } from "jsonc-parser";
import { err, ok, type Result } from "../../../lib/result.ts";

/** Sets a key, making the objects that lead to it; an error says what stands in the way. */
export function setInJson(text: string, path: readonly string[], value: unknown): Result<string, string> {
  const style = styleOf(text);
  const root = parseTree(text);
  if (!root) {
    const start = /[^\n]$/.test(text.trimStart()) ? style.eol : "";
    return ok(`${text}${start}${written(nested(path, value), { ...style, indent: "  " }, 0)}${style.eol}`);
  }

  let object = spanOf(text, root);
  for (const [depth, key] of path.entries()) {
    const member = object.members.findLast((candidate) => candidate.key === key);
    if (!member) return ok(inserted(text, object, key, nested(path.slice(depth + 1), value), depth + 1));
    if (depth === path.length - 1) {
      const replaced = written(value, style, depth + 1);
      return ok(text.slice(0, member.value.offset) + replaced + text.slice(member.end));
    }
    if (member.value.type !== "object") return err(`${path.slice(0, depth + 1).join(".")} is no object`);
    object = spanOf(text, member.value);
  }
  return err("there is no key to set");
}

/** Removes a key with its comma and its line; without such a key the text stays as it is. */
export function removeFromJson(text: string, path: readonly string[]): string {
  let node = parseTree(text);
  for (const [depth, key] of path.entries()) {
    if (node?.type !== "object") return text;
    const object = spanOf(text, node);
    const index = object.members.findLastIndex((candidate) => candidate.key === key);
    if (index === -1) return text;
    if (depth === path.length - 1) return without(text, object, index);
    node = object.members[index]!.value;
  }
  return text;
}

/** Places in the text. */
interface Member {
  readonly key: string;
  readonly start: number;
  readonly value: Node;
  readonly end: number;
  /** The position of the comma after it, if there is one. */
  readonly comma: number | undefined;
}

interface Span {
  readonly open: number;
  readonly close: number;
  readonly members: readonly Member[];
}

function spanOf(text: string, object: Node): Span {
  const scanner = createScanner(text, true);
  const members = (object.children ?? []).map((property): Member => {
    const [key, value] = property.children as [Node, Node];
    const end = value.offset + value.length;
    scanner.setPosition(end);
    scanner.scan();
    const next = scanner.getTokenOffset();
    return {
      key: key.value,
      start: key.offset,
      value,
      end,
      comma: text[next] === "," ? next : undefined,
    };
  });
  return { open: object.offset, close: object.offset + object.length - 1, members };
}

/** The new member becomes the last one. */
function inserted(text: string, object: Span, key: string, value: unknown, depth: number): string {
  const style = styleOf(text);
  const line = newLine(style, depth);
  const member = `${JSON.stringify(key)}:${style.indent === null ? "" : " "}${written(value, style, depth)}`;
  const last = object.members.at(-1);
  if (!last) {
    const from = startOfSpace(text, object.close);
    return text.slice(0, from) + line + member + newLine(style, depth - 1) + text.slice(object.close);
  }
  const [comma, trailing] = last.comma === undefined ? [",", ""] : ["", ","];
  const after = last.comma === undefined ? last.end : last.comma + 1;
  // A remark behind the last member is about that member and stays behind it.
  const place = after + (match(text, after, REMARK)?.length ?? 0);
  return (
    text.slice(0, after) + comma + text.slice(after, place) + line + member + trailing + text.slice(place)
  );
}

function without(text: string, { open, close, members }: Span, index: number): string {
  const member = members[index]!;
  const before = members[index - 1];
  const end = member.comma === undefined ? member.end : member.comma + 1;
  const gap = text.slice(before?.comma === undefined ? open + 1 : before.comma + 1, member.start);
  // Text after it on the same line must not become part of a line comment.
  const keepsLine = /\/\/.*\s*$/.test(gap) && match(text, end, /[ \t]*\r?\n/y) === undefined;
  const from = keepsLine ? member.start : startOfSpace(text, member.start);

  if (member.comma !== undefined)
    return text.slice(0, from) + text.slice(member.end, member.comma) + text.slice(end);
  if (before?.comma !== undefined)
    return text.slice(0, before.comma) + text.slice(before.comma + 1, from) + text.slice(end);
  const rest = text.slice(open + 1, from) + text.slice(end, close);
  return text.slice(0, open + 1) + (rest.trim() === "" ? "" : rest) + text.slice(close);
}

const REMARK = /[ \t]*(?:\/\/[^\r\n]*|\/\*(?:(?!\*\/)[^\r\n])*\*\/)(?=[ \t]*\r?\n)/y;

function match(text: string, at: number, pattern: RegExp): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** Returns the start of the white space before a position. */
function startOfSpace(text: string, at: number): number {
  return text.slice(0, at).trimEnd().length;
}

interface Style {
  readonly eol: string;
  /** The indentation of one level; null if everything is on one line. */
  readonly indent: string | null;
}

function styleOf(text: string): Style {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const isOneLine = !text.trim().includes("\n") && /[^\s{}]/.test(text);
  return { eol, indent: isOneLine ? null : (/\n([ \t]+)\S/.exec(text)?.[1] ?? "  ") };
}

function newLine({ eol, indent }: Style, depth: number): string {
  return indent === null ? "" : eol + indent.repeat(depth);
}

function written(value: unknown, style: Style, depth: number): string {
  if (style.indent === null) return JSON.stringify(value);
  return JSON.stringify(value, null, style.indent).replaceAll("\n", newLine(style, depth));
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}
