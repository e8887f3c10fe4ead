/** A parsed URI template (RFC 6570). */
export interface UriTemplate {
  readonly text: string;
  /** In order. A template that cannot be parsed has no parts and matches nothing. */
  readonly parts: readonly Part[];
}

type Part = string | Run;

/** An expression, which matches a run of characters. */
interface Run {
  /** The text before the run. */
  readonly lead: string;
  /** True if the run may be missing. */
  readonly optional: boolean;
  /** Characters that end the run. */
  readonly ends: string;
}

/** Longer templates are not used, and matching them would take long. */
const MAX_TEMPLATE = 2048;
const MAX_EXPRESSIONS = 32;

const EXPRESSION = /^([+#./;?&]?)([A-Za-z0-9_.%-]+(?::\d{1,4}|\*)?(?:,[A-Za-z0-9_.%-]+(?::\d{1,4}|\*)?)*)$/;

export function uriTemplate(text: string): UriTemplate {
  return { text, parts: text.length > MAX_TEMPLATE ? [] : (partsOf(text) ?? []) };
}

/**
 * True if a URI may come from a template. Generous where servers read templates differently, because the server that
 * published the template has the last word. Takes at most `costOf` steps.
 */
export function canMatchUri(template: UriTemplate, uri: string): boolean {
  const { parts } = template;
  if (parts.length === 0 || !fitsAtEnds(parts, uri)) return false;
  // Marks the positions in the URI at which the parts so far can end.
  let places = new Uint8Array(uri.length + 1);
  places[0] = 1;
  for (const part of parts) {
    places = typeof part === "string" ? afterLiteral(part, uri, places) : afterRun(part, uri, places);
  }
  return places[uri.length] === 1;
}

/** An upper bound for the cost of matching; 1 if comparing both ends is enough. */
export function costOf({ text, parts }: UriTemplate, uri: string): number {
  return parts.length === 0 || !fitsAtEnds(parts, uri) ? 1 : text.length * uri.length;
}

function partsOf(text: string): Part[] | undefined {
  const parts: Part[] = [];
  let at = 0;
  for (let expressions = 0; at < text.length; ) {
    const open = text.indexOf("{", at);
    const literal = text.slice(at, open < 0 ? undefined : open);
    if (literal.includes("}")) return undefined;
    if (literal !== "") parts.push(literal);
    if (open < 0) break;
    const close = text.indexOf("}", open);
    const run = close < 0 ? undefined : runOf(text.slice(open + 1, close));
    if (!run || ++expressions > MAX_EXPRESSIONS) return undefined;
    parts.push(run);
    at = close + 1;
  }
  return parts;
}

function runOf(expression: string): Run | undefined {
  const [, operator, names = ""] = EXPRESSION.exec(expression) ?? [];
  // Some frameworks write `{path*}` for a value with slashes in it.
  const segments = names.includes("*") ? "" : "/";
  switch (operator) {
    case undefined:
      return undefined;
    case "":
      return { lead: "", optional: false, ends: segments };
    case "+":
      return { lead: "", optional: false, ends: "" };
    case "#":
      return { lead: "#", optional: true, ends: "" };
    case "/":
      return { lead: "/", optional: true, ends: names.includes(",") ? "" : segments };
    case "?":
    case "&":
      return { lead: operator, optional: true, ends: "#" };
    default:
      return { lead: operator, optional: true, ends: segments };
  }
}

function fitsAtEnds(parts: readonly Part[], uri: string): boolean {
  const [first] = parts;
  const last = parts.at(-1);
  return (
    (typeof first !== "string" || uri.startsWith(first)) && (typeof last !== "string" || uri.endsWith(last))
  );
}

function afterLiteral(literal: string, uri: string, places: Uint8Array): Uint8Array<ArrayBuffer> {
  const after = new Uint8Array(places.length);
  for (let place = 0; place + literal.length < places.length; place++) {
    if (places[place] === 1 && uri.startsWith(literal, place)) after[place + literal.length] = 1;
  }
  return after;
}

function afterRun({ lead, optional, ends }: Run, uri: string, places: Uint8Array): Uint8Array<ArrayBuffer> {
  const after = optional ? Uint8Array.from(places) : new Uint8Array(places.length);
  let isInside = false;
  for (let at = 0; at < uri.length; at++) {
    const begins = lead === "" ? places[at] === 1 : at > 0 && places[at - 1] === 1 && uri[at - 1] === lead;
    isInside = (isInside || begins) && !ends.includes(uri[at]!);
    if (isInside) after[at + 1] = 1;
  }
  return after;
}
