import type { Document } from "./document.ts";
import { parseJson } from "./json-document.ts";
import { parseToml } from "./toml-document.ts";

/** Parses by the file's ending. Throws DocumentError. */
export function parseDocument(path: string, text: string): Document {
  return path.endsWith(".toml") ? parseToml(text) : parseJson(text);
}
