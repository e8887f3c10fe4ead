/**
 * Schemas whose error text is the expectation ("a whole number from 0 to 65535"). Messages about files, environment and
 * API say what was expected and what came in the same words.
 */
import { z } from "zod";

/** The longest time one call, connection or command may take: 600 s. */
export const MAX_TIMEOUT_MS = 600_000;

export function wholeNumber(min: number, max: number, unit = "") {
  const expected = `a whole number from ${min} to ${max}${unit && ` ${unit}`}`;
  return z.int(expected).min(min, expected).max(max, expected);
}

export function yesOrNo() {
  return z.boolean("true or false");
}

export function oneOf<const T extends string>(values: readonly T[]) {
  return z.enum(values, `one of ${values.map((value) => `"${value}"`).join(", ")}`);
}

/** A string of 1 to `max` characters without control characters such as NUL, which no program or header takes. */
export function text(expected: string, max = 4096) {
  return z.string(expected).min(1, expected).max(max, expected).refine(isPrintable, expected);
}

/** A milliseconds limit that is never unlimited: 0 and more than 600 s are refused. */
export function timeoutMs() {
  return wholeNumber(1, MAX_TIMEOUT_MS, "milliseconds (600 s at most)");
}

/** A time limit in seconds; 0 and more than 600 are refused. */
export function timeoutSecs() {
  const expected = "a number of seconds above 0 and up to 600";
  return z
    .number(expected)
    .gt(0, expected)
    .max(MAX_TIMEOUT_MS / 1000, expected);
}

/** Seconds as whole milliseconds. */
export function toMs(seconds: number): number {
  return Math.max(1, Math.round(seconds * 1000));
}

/** An absolute http or https address without credentials, which would end up in logs. */
export function httpUrl() {
  const expected = "an http:// or https:// URL without user name and password (put credentials into headers)";
  return z.string(expected).max(4096, expected).refine(isHttpUrl, expected);
}

function isHttpUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  return /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

function isPrintable(value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
  return !/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value);
}
