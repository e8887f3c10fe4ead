import { stripComments } from "jsonc-parser";
import { isRecord } from "../../../lib/json.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { DocumentError } from "../document/document.ts";
import { parseJson } from "../document/json-document.ts";
import { parseToml } from "../document/toml-document.ts";

export type Settings = Readonly<Record<string, unknown>>;

/**
 * Parses a settings file. A file with nothing but comments is empty. The problem names the line and quotes no value.
 */
export function parseSettings(path: string, text: string): Result<Settings, string> {
  const content = text.replace(/^\uFEFF/, "");
  if (content.trim() === "" || (!isToml(path) && stripComments(content).trim() === "")) return ok({});
  const parsed = isToml(path) ? parsedWith(parseToml, content) : parsedJson(content);
  if (!parsed.ok) return parsed;
  return isRecord(parsed.value) ? ok(parsed.value) : err("line 1: expected an object, got something else");
}

export function isToml(path: string): boolean {
  return path.endsWith(".toml");
}

/** The value at a path of keys. */
export function valueIn(settings: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    settings,
  );
}

/** Files that programs write are plain JSON and may be large; ours for people reads the rest, and knows the line. */
function parsedJson(text: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(text));
  } catch {
    return parsedWith(parseJson, text);
  }
}

function parsedWith(
  parse: (text: string) => { readonly value: unknown },
  text: string,
): Result<unknown, string> {
  try {
    return ok(parse(text).value);
  } catch (error) {
    if (error instanceof DocumentError)
      return err(`line ${error.position.line}: ${error.message.replace(/\p{Cc}/gu, "")}`);
    // A depth that no settings have overflows the stack before the depth is told.
    if (error instanceof RangeError) return err("line 1: expected less nesting");
    throw error;
  }
}
