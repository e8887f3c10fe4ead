/** URIs of resources in the one form in which grants and rules compare them. */
import { err, ok, type Result } from "../result.ts";

/** How a URI is put together (RFC 3986); `authority` undefined: there is none. */
interface Parts {
  readonly scheme: string;
  readonly authority: string | undefined;
  readonly path: string;
  /** With their `?` and `#`. */
  readonly rest: string;
}

/** Schemes for which a URL reader (WHATWG) has rules of its own, and their usual ports. */
const SPECIAL: Readonly<Record<string, string>> = {
  ...{ "http:": "80", "https:": "443", "ws:": "80", "wss:": "443", "ftp:": "21", "file:": "" },
};
const MAX_DECODED = 3;
/** Of a pair of surrogates. */
const HALF = /\p{Surrogate}/u;
const URI = /^([a-z][a-z0-9+.-]*:)(?:\/\/([^/?#]*))?([^?#]*)((?:\?[^#]*)?(?:#.*)?)$/i;

/**
 * The URI as every reader of it has it: a URL reader (WHATWG) and one that goes by RFC 3986. The error says why they may take it
 * for different resources; such a URI is refused. A text that is no URI is its own form where it has nothing to be read.
 */
export function canonicalUri(text: string): Result<string, string> {
  const broken = problemOf(text);
  if (broken !== undefined) return err(broken);
  const plain = asPlainReader(text);
  if (plain === undefined || !URL.canParse(text))
    return isOpaque(text) ? ok(text) : err("it is no URI that every reader understands");
  const browser = asPlainReader(new URL(text).href);
  return browser === plain ? ok(plain) : err("readers of URLs take it for different resources");
}

/**
 * A pattern for permissions as far as it spells out a URI, in the form that those have: `resource:file://localhost/a/*` is
 * about the same as `resource:file:///a/*`. What cannot be read stays as it is.
 */
export function canonicalPermission(permission: string): string {
  const [, before, pattern] = /^((?:[^/]*?:)?resource:)([a-z][a-z0-9+.-]*:.*)$/is.exec(permission) ?? [];
  if (before === undefined || pattern === undefined || HALF.test(pattern)) return permission;
  // Stars stand in for themselves in every part but the scheme and the host of a special one.
  const star = pattern.indexOf("*");
  const written = star < 0 ? pattern : pattern.slice(0, star);
  const end = Math.max(written.lastIndexOf("/"), written.lastIndexOf("?"), written.lastIndexOf("#")) + 1;
  const [known, open] = star < 0 ? [pattern, ""] : [pattern.slice(0, end), pattern.slice(end)];
  const canonical =
    known === "" || /^[^:]*:\/{0,2}$/.test(known) ? ok(known.toLowerCase()) : canonicalUri(known);
  return `${before}${canonical.ok ? canonical.value : known}${unescaped(open)}`;
}

function problemOf(text: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: URL readers drop some of these.
  if (/[\0-\x1f\x7f]/.test(text) || text !== text.trim())
    return "it has blanks around it or control characters";
  if (HALF.test(text)) return "it has half of a character";
  if (text.includes("\\")) return "it has a backslash, which some readers take for a slash";
  if (/%(?![0-9a-f]{2})/i.test(text)) return "it has a % that begins no escape";
  let decoded = text;
  for (let round = 0; round < MAX_DECODED && decoded.includes("%"); round++) {
    try {
      decoded = decodeURIComponent(decoded);
    } catch {
      return round === 0 ? "its escapes are no UTF-8" : undefined;
    }
    if (decoded.includes("\0")) return "it has an escaped NUL";
    if (/%(?![0-9a-f]{2})/i.test(decoded)) break;
  }
  return undefined;
}

/** As a reader that goes by RFC 3986 normalises it (6.2.2 and 6.2.3); undefined: no URI. */
function asPlainReader(text: string): string | undefined {
  const parts = partsOf(text);
  if (!parts) return undefined;
  const { scheme, authority, rest } = parts;
  const isSpecial = scheme in SPECIAL;
  const path = unescaped(parts.path);
  if (scheme === "file:") return fileUri(path, authority, rest);
  if (authority === undefined) return hasDots(path) ? undefined : `${scheme}${path}${unescaped(rest)}`;
  const host = isSpecial
    ? authority.toLowerCase().replace(new RegExp(`:${SPECIAL[scheme]}$`), "")
    : authority;
  if (isSpecial && /\.(?::\d*)?$/.test(host)) return undefined;
  const steps = withoutDots(path);
  if (isEscaping(steps) || isEscaping(rest)) return undefined;
  return `${scheme}//${unescaped(host)}${steps === "" && isSpecial ? "/" : steps}${unescaped(rest)}`;
}

/** Of this machine, and no two of its readers know another path by it. */
function fileUri(path: string, authority: string | undefined, rest: string): string | undefined {
  if (authority !== undefined && !/^(?:localhost)?$/i.test(authority)) return undefined;
  const steps = withoutDots(path);
  if (!steps.startsWith("/") || path.includes("//") || /%(?:2f|5c)/i.test(path)) return undefined;
  if (/^\/[a-z][:|](?:\/|$)/i.test(steps) && hasDots(path)) return undefined;
  return isEscaping(steps) || isEscaping(rest) ? undefined : `file://${steps}${unescaped(rest)}`;
}

function partsOf(text: string): Parts | undefined {
  const [, scheme, authority, path, rest] = URI.exec(text) ?? [];
  if (scheme === undefined) return undefined;
  return { scheme: scheme.toLowerCase(), authority, path: path ?? "", rest: rest ?? "" };
}

/** Nothing in it means anything but itself. */
function isOpaque(text: string): boolean {
  return !/[%\\]/.test(text) && !hasDots(text) && !/^(?:file|https?|wss?|ftp):/i.test(text);
}

/** Whether somebody who decodes again, or takes a query or fragment for a part of the path, would leave a folder. */
function isEscaping(text: string): boolean {
  let decoded = text;
  for (let round = 0; round < MAX_DECODED; round++) {
    if (hasDots(decoded)) return true;
    if (!decoded.includes("%")) return false;
    decoded = decoded.replace(/%[0-9a-f]{2}/gi, (found) =>
      String.fromCharCode(Number.parseInt(found.slice(1), 16)),
    );
  }
  return hasDots(decoded);
}

function hasDots(text: string): boolean {
  return text.split(/[/\\]/).some((step) => step === "." || step === "..");
}

/** RFC 3986, 5.2.4. */
function withoutDots(path: string): string {
  const steps = path.split("/");
  const kept: string[] = [];
  steps.forEach((step, at) => {
    const isLast = at === steps.length - 1;
    if (step === "..") {
      if (kept.length > 1) kept.pop();
      if (isLast) kept.push("");
    } else if (step !== "." || isLast) kept.push(step === "." ? "" : step);
  });
  return kept.join("/");
}

/** Without escapes of what needs none, the others in one spelling, and everything else escaped that no URI has. */
function unescaped(text: string): string {
  return text
    .replace(/%[0-9a-f]{2}/gi, (found) => {
      const char = String.fromCharCode(Number.parseInt(found.slice(1), 16));
      return /[A-Za-z0-9._~-]/.test(char) ? char : found.toUpperCase();
    })
    .replace(/[^\w.~!$&'()*+,;=:@/?#[\]%-]+/gu, (run) => encodeURIComponent(run));
}
