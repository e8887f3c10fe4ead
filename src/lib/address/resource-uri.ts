/** URIs of resources in the one form in which grants and rules compare them. */
import { err, ok, type Result } from "../result.ts";

/** The parts of a URI (RFC 3986). `authority` is undefined if there is none. */
interface Parts {
  readonly scheme: string;
  readonly authority: string | undefined;
  readonly path: string;
  /** Query and fragment, with their `?` and `#`. */
  readonly rest: string;
}

/** Schemes with their own rules in the WHATWG URL standard, and their default ports. */
const SPECIAL: Readonly<Record<string, string>> = {
  ...{ "http:": "80", "https:": "443", "ws:": "80", "wss:": "443", "ftp:": "21", "file:": "" },
};
const MAX_DECODED = 3;
/** Half of a surrogate pair. */
const HALF = /\p{Surrogate}/u;
const URI = /^([a-z][a-z0-9+.-]*:)(?:\/\/([^/?#]*))?([^?#]*)((?:\?[^#]*)?(?:#.*)?)$/i;

/**
 * Returns the URI in the form that every reader agrees on, whether it follows the WHATWG standard or RFC 3986. The
 * error says why readers could take it for different resources; such a URI is refused. A text that is not a URI is
 * returned unchanged if it is harmless.
 */
export function canonicalUri(text: string): Result<string, string> {
  const broken = findProblem(text);
  if (broken !== undefined) return err(broken);
  const plain = normaliseByRfc(text);
  if (plain === undefined || !URL.canParse(text))
    return isOpaque(text) ? ok(text) : err("it is no URI that every reader understands");
  const browser = normaliseByRfc(new URL(text).href);
  return browser === plain ? ok(plain) : err("readers of URLs take it for different resources");
}

/**
 * Brings the URI in a permission pattern into canonical form: `resource:file://localhost/a/*` means the same as
 * `resource:file:///a/*`. A pattern that cannot be read stays as it is.
 */
export function canonicalPermission(permission: string): string {
  const [, before, pattern] = /^((?:[^/]*?:)?resource:)([a-z][a-z0-9+.-]*:.*)$/is.exec(permission) ?? [];
  if (before === undefined || pattern === undefined || HALF.test(pattern)) return permission;
  // A `*` stays as it is in every part except the scheme, and the host of a special scheme.
  const star = pattern.indexOf("*");
  const written = star < 0 ? pattern : pattern.slice(0, star);
  const end = Math.max(written.lastIndexOf("/"), written.lastIndexOf("?"), written.lastIndexOf("#")) + 1;
  const [known, open] = star < 0 ? [pattern, ""] : [pattern.slice(0, end), pattern.slice(end)];
  const canonical =
    known === "" || /^[^:]*:\/{0,2}$/.test(known) ? ok(known.toLowerCase()) : canonicalUri(known);
  return `${before}${canonical.ok ? canonical.value : known}${normaliseEscapes(open)}`;
}

function findProblem(text: string): string | undefined {
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

/** Normalises a URI by RFC 3986 (6.2.2 and 6.2.3); undefined if the text is not a URI. */
function normaliseByRfc(text: string): string | undefined {
  const parts = splitUri(text);
  if (!parts) return undefined;
  const { scheme, authority, rest } = parts;
  const isSpecial = scheme in SPECIAL;
  const path = normaliseEscapes(parts.path);
  if (scheme === "file:") return fileUri(path, authority, rest);
  if (authority === undefined) return hasDots(path) ? undefined : `${scheme}${path}${normaliseEscapes(rest)}`;
  const host = isSpecial
    ? authority.toLowerCase().replace(new RegExp(`:${SPECIAL[scheme]}$`), "")
    : authority;
  if (isSpecial && /\.(?::\d*)?$/.test(host)) return undefined;
  const steps = removeDotSegments(path);
  if (isEscaping(steps) || isEscaping(rest)) return undefined;
  return `${scheme}//${normaliseEscapes(host)}${steps === "" && isSpecial ? "/" : steps}${normaliseEscapes(rest)}`;
}

/** Accepts only files of this machine, with a path that all readers understand in the same way. */
function fileUri(path: string, authority: string | undefined, rest: string): string | undefined {
  if (authority !== undefined && !/^(?:localhost)?$/i.test(authority)) return undefined;
  const steps = removeDotSegments(path);
  if (!steps.startsWith("/") || path.includes("//") || /%(?:2f|5c)/i.test(path)) return undefined;
  if (/^\/[a-z][:|](?:\/|$)/i.test(steps) && hasDots(path)) return undefined;
  return isEscaping(steps) || isEscaping(rest) ? undefined : `file://${steps}${normaliseEscapes(rest)}`;
}

function splitUri(text: string): Parts | undefined {
  const [, scheme, authority, path, rest] = URI.exec(text) ?? [];
  if (scheme === undefined) return undefined;
  return { scheme: scheme.toLowerCase(), authority, path: path ?? "", rest: rest ?? "" };
}

/** True if no character of the text has a special meaning. */
function isOpaque(text: string): boolean {
  return !/[%\\]/.test(text) && !hasDots(text) && !/^(?:file|https?|wss?|ftp):/i.test(text);
}

/** True if a program that decodes twice, or reads a query or fragment as part of the path, would leave a folder. */
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

/** Removes dot segments (RFC 3986, 5.2.4). */
function removeDotSegments(path: string): string {
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

/**
 * Decodes escapes that are not needed, spells the others in one way, and escapes every character that a URI cannot
 * contain.
 */
function normaliseEscapes(text: string): string {
  return text
    .replace(/%[0-9a-f]{2}/gi, (found) => {
      const char = String.fromCharCode(Number.parseInt(found.slice(1), 16));
      return /[A-Za-z0-9._~-]/.test(char) ? char : found.toUpperCase();
    })
    .replace(/[^\w.~!$&'()*+,;=:@/?#[\]%-]+/gu, (run) => encodeURIComponent(run));
}
