import { readFile } from "node:fs/promises";
import { messageOf, ToolkeepError } from "../../../contract/errors.ts";
import { parseExact } from "../../../lib/exact-json.ts";
import type { Terminal } from "../terminal.ts";

/**
 * Reads the arguments of a tool: one JSON object, `-` for standard input, `@file`, or `key=value` pairs. A value that
 * parses as JSON is JSON, otherwise text.
 */
export async function readArguments(
  words: readonly string[],
  terminal: Pick<Terminal, "read">,
): Promise<unknown> {
  const [first] = words;
  if (first === undefined) return {};
  if (words.length === 1 && first === "-") return parseJson(await terminal.read(), "standard input");
  if (words.length === 1 && first.startsWith("@"))
    return parseJson(await readText(first.slice(1)), first.slice(1));
  if (words.length === 1 && first.trimStart().startsWith("{")) return parseJson(first, "the arguments");
  return Object.fromEntries(words.map(parsePair));
}

/** Reads `["A=1", "B=2"]` into an object whose values are all text, for env and headers. */
export function readPairs(pairs: readonly string[], what: string): Record<string, string> {
  return Object.fromEntries(
    pairs.map((text): [string, string] => {
      const [key, value] = splitPair(text);
      if (key === undefined)
        throw new ToolkeepError(
          "BAD_USAGE",
          `${what} must be KEY=VALUE; got ${JSON.stringify(text.slice(0, 20))}`,
        );
      return [key, value];
    }),
  );
}

function parsePair(text: string): [string, unknown] {
  const [key, value] = splitPair(text);
  if (key === undefined) {
    throw new ToolkeepError(
      "BAD_USAGE",
      `expected arguments as one JSON object, - for standard input, @file, or key=value pairs; got ${JSON.stringify(text.slice(0, 80))}`,
    );
  }
  try {
    return [key, parseExact(value)];
  } catch {
    return [key, value];
  }
}

function splitPair(text: string): [string, string] | [undefined, ""] {
  const at = text.indexOf("=");
  return at > 0 ? [text.slice(0, at), text.slice(at + 1)] : [undefined, ""];
}

function parseJson(text: string, from: string): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    throw new ToolkeepError("BAD_USAGE", `${from} must be JSON: ${messageOf(error)}`);
  }
}

async function readText(file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: unknown) => {
    throw new ToolkeepError("BAD_USAGE", `the arguments cannot be read: ${messageOf(error)}`);
  });
}
