import { readFile } from "node:fs/promises";
import { messageOf, ToolkeepError } from "../../../contract/errors.ts";
import { parseExact } from "../../../lib/exact-json.ts";
import type { Terminal } from "../terminal.ts";

/**
 * The arguments of a tool as typed: one JSON object, `-` for standard input, `@file`, or `key=value` pairs
 * whose values are JSON where they parse and text where they do not.
 */
export async function readArguments(
  given: readonly string[],
  terminal: Pick<Terminal, "read">,
): Promise<unknown> {
  const [first] = given;
  if (first === undefined) return {};
  if (given.length === 1 && first === "-") return parseJson(await terminal.read(), "standard input");
  if (given.length === 1 && first.startsWith("@"))
    return parseJson(await readText(first.slice(1)), first.slice(1));
  if (given.length === 1 && first.trimStart().startsWith("{")) return parseJson(first, "the arguments");
  return Object.fromEntries(given.map(pair));
}

/** `["A=1", "B=2"]` as an object; for env and headers, where every value is text. */
export function readPairs(given: readonly string[], what: string): Record<string, string> {
  return Object.fromEntries(
    given.map((text): [string, string] => {
      const [key, value] = split(text);
      if (key === undefined)
        throw new ToolkeepError(
          "BAD_USAGE",
          `${what} is KEY=VALUE; got ${JSON.stringify(text.slice(0, 20))}`,
        );
      return [key, value];
    }),
  );
}

function pair(text: string): [string, unknown] {
  const [key, value] = split(text);
  if (key === undefined) {
    throw new ToolkeepError(
      "BAD_USAGE",
      `arguments are one JSON object, - for standard input, @file, or key=value pairs; got ${JSON.stringify(text.slice(0, 80))}`,
    );
  }
  try {
    return [key, parseExact(value)];
  } catch {
    return [key, value];
  }
}

function split(text: string): [string, string] | [undefined, ""] {
  const at = text.indexOf("=");
  return at > 0 ? [text.slice(0, at), text.slice(at + 1)] : [undefined, ""];
}

function parseJson(text: string, from: string): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    throw new ToolkeepError("BAD_USAGE", `${from} should be JSON: ${messageOf(error)}`);
  }
}

async function readText(file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: unknown) => {
    throw new ToolkeepError("BAD_USAGE", `the arguments cannot be read: ${messageOf(error)}`);
  });
}
