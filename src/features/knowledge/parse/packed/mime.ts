import { decodeAs } from "../decode.ts";

/** A part of a message: its headers, and its content as it came. */
export interface MimePart {
  header(name: string): string | undefined;
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly fileName: string | undefined;
  /** Decoded, but not yet text. */
  readonly body: Uint8Array;
}

const MAX_DEPTH = 10;
const MAX_PARTS = 200;
const MAX_HEADERS = 256 * 1024;

/** Every part of a message that is no container of others, in order; `root` has the headers of the message. */
export function mimeParts(bytes: Uint8Array): {
  readonly root: MimePart;
  readonly parts: readonly MimePart[];
} {
  const root = partOf(bytes);
  const parts: MimePart[] = [];
  const visit = (part: MimePart, depth: number) => {
    const { boundary } = part.parameters;
    if (part.type.startsWith("multipart/") && boundary && depth < MAX_DEPTH) {
      for (const inner of splitParts(part.body, boundary)) {
        if (parts.length >= MAX_PARTS) return;
        visit(partOf(inner), depth + 1);
      }
    } else parts.push(part);
  };
  visit(root, 0);
  return { root, parts };
}

/** A header of the message itself, without a look at what is below it. */
export function mimeHeader(bytes: Uint8Array, name: string): string | undefined {
  return partOf(bytes).header(name);
}

function partOf(bytes: Uint8Array): MimePart {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = headerEnd(buffer);
  const headers = readHeaders(decodeAs(buffer.subarray(0, Math.min(end.head, MAX_HEADERS)), undefined));
  const header = (name: string) => headers.get(name);
  const { value: type, parameters } = parameterised(header("content-type") ?? "text/plain");
  const disposition = parameterised(header("content-disposition") ?? "");
  const fileName = disposition.parameters.filename ?? parameters.name;
  return {
    header,
    type: type.toLowerCase(),
    parameters,
    fileName: fileName === undefined ? undefined : decodeWords(fileName),
    get body() {
      const raw = buffer.subarray(end.body);
      return type.toLowerCase().startsWith("multipart/")
        ? raw
        : transferDecoded(raw, header("content-transfer-encoding"));
    },
  };
}

function headerEnd(buffer: Buffer): { readonly head: number; readonly body: number } {
  const unix = buffer.indexOf("\n\n");
  const windows = buffer.indexOf("\r\n\r\n");
  if (windows >= 0 && (unix < 0 || windows < unix)) return { head: windows, body: windows + 4 };
  return unix >= 0 ? { head: unix, body: unix + 2 } : { head: buffer.length, body: buffer.length };
}

/** The first of each name, in lower case. */
function readHeaders(text: string): Map<string, string> {
  const headers = new Map<string, string>();
  let name = "";
  let value: string[] = [];
  const settle = () => {
    if (name !== "" && !headers.has(name)) headers.set(name, value.join(" ").trim());
  };
  for (const line of text.split(/\r?\n/)) {
    if (/^[ \t]/.test(line)) {
      value.push(line.trim());
      continue;
    }
    settle();
    const colon = line.indexOf(":");
    name = colon > 0 ? line.slice(0, colon).trim().toLowerCase() : "";
    value = [line.slice(colon + 1)];
  }
  settle();
  return headers;
}

const PARAMETER = /;\s*([\w!#$%&'*+.^`|~-]{1,60})\s*=\s*(?:"((?:[^"\\]|\\.){0,2000})"|([^;\s]{0,2000}))/g;

/** `text/plain; charset=utf-8`, also with values in pieces and other charsets (RFC 2231). */
function parameterised(header: string): {
  readonly value: string;
  readonly parameters: Record<string, string>;
} {
  const parameters: Record<string, string> = {};
  for (const [, key, quoted, plain] of header.slice(0, 10_000).matchAll(PARAMETER)) {
    const value = quoted?.replace(/\\(.)/g, "$1") ?? plain ?? "";
    const [base, ...marks] = key!.toLowerCase().split("*");
    const isEncoded = marks.at(-1) === "";
    parameters[base!] = (parameters[base!] ?? "") + (isEncoded ? percentDecoded(value) : value);
  }
  return { value: header.split(";", 1)[0]!.trim(), parameters };
}

function percentDecoded(value: string): string {
  const [, charset, text] = /^([\w-]*)'[\w-]*'(.*)$/s.exec(value) ?? [undefined, undefined, value];
  return decodeAs(percentBytes(text!, "%"), charset || undefined);
}

/** `=?utf-8?B?…?=` in a header. */
export function decodeWords(text: string): string {
  return text
    .replace(/(\?=)\s+(=\?)/g, "$1$2")
    .replace(/=\?([\w-]{1,40})(?:\*[\w-]*)?\?([bq])\?([^?\s]{0,2000})\?=/gi, (_, charset, encoding, data) => {
      const bytes = /b/i.test(encoding)
        ? Buffer.from(data, "base64")
        : percentBytes(data.replaceAll("_", " "), "=");
      return decodeAs(bytes, charset);
    });
}

function percentBytes(text: string, mark: "%" | "="): Uint8Array {
  const raw = text.replace(mark === "%" ? /%([0-9a-f]{2})/gi : /=([0-9a-f]{2})/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(raw, "latin1");
}

function transferDecoded(raw: Buffer, encoding: string | undefined): Uint8Array {
  const named = encoding?.trim().toLowerCase();
  if (named === "base64") return Buffer.from(raw.toString("latin1"), "base64");
  return named === "quoted-printable" ? quotedPrintable(raw) : raw;
}

/** RFC 2045, line by line, in proportion to its length: `=` at the end of a line joins it with the next, other white space there is none. */
function quotedPrintable(raw: Buffer): Uint8Array {
  const out = Buffer.allocUnsafe(raw.length);
  let length = 0;
  for (let start = 0; start < raw.length; ) {
    const newline = raw.indexOf(10, start);
    const stop = newline < 0 ? raw.length : newline;
    let end = stop > start && raw[stop - 1] === 13 ? stop - 1 : stop;
    const lineEnd = end;
    while (end > start && (raw[end - 1] === 32 || raw[end - 1] === 9)) end--;
    const isJoined = end > start && raw[end - 1] === 61;
    if (isJoined) end--;
    for (let at = start; at < end; at++) {
      const code = raw[at] === 61 && at + 2 < end ? hexByte(raw[at + 1]!, raw[at + 2]!) : -1;
      out[length++] = code < 0 ? raw[at]! : code;
      if (code >= 0) at += 2;
    }
    const next = newline < 0 ? raw.length : newline + 1;
    if (!isJoined) length += raw.copy(out, length, lineEnd, next);
    start = next;
  }
  return out.subarray(0, length);
}

/** -1: these are not two hexadecimal digits. */
function hexByte(high: number, low: number): number {
  const [a, b] = [hexDigit(high), hexDigit(low)];
  return a < 0 || b < 0 ? -1 : a * 16 + b;
}

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const small = code | 32;
  return small >= 97 && small <= 102 ? small - 87 : -1;
}

function* splitParts(body: Uint8Array, boundary: string): Generator<Uint8Array> {
  const buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const mark = Buffer.from(`--${boundary}`);
  let start = -1;
  for (let at = buffer.indexOf(mark); at >= 0; at = buffer.indexOf(mark, at + mark.length)) {
    if (at > 0 && buffer[at - 1] !== 10) continue;
    if (start >= 0) yield buffer.subarray(start, at);
    const line = buffer.indexOf("\n", at);
    if (line < 0 || buffer.toString("latin1", at + mark.length, at + mark.length + 2) === "--") return;
    start = line + 1;
  }
  if (start >= 0) yield buffer.subarray(start);
}
