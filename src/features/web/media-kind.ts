import { looksBinary } from "../../machine/files/text-file.ts";

/** What kind of content a response has. */
export type MediaKind = "html" | "markdown" | "json" | "text" | "pdf" | "image" | "binary";

/** Detects the kind by content type, or by the first bytes if the type is missing or generic. */
export function detectMediaKind(contentType: string, bytes: Uint8Array): MediaKind {
  const type = parseMediaType(contentType);
  if (type === "" || type === "application/octet-stream") return sniffMediaKind(bytes);
  if (/^(text\/html|application\/xhtml\+xml)$/.test(type)) return "html";
  if (/^text\/(x-)?markdown$/.test(type)) return "markdown";
  if (/^application\/([\w.-]+\+)?json$|^text\/json$/.test(type)) return "json";
  if (type === "application/pdf") return "pdf";
  if (type === "image/svg+xml" || TEXT.test(type)) return looksBinary(Buffer.from(bytes)) ? "binary" : "text";
  return type.startsWith("image/") ? "image" : "binary";
}

/** Returns `text/html` for `Text/HTML; charset=utf-8`. */
export function parseMediaType(contentType: string): string {
  return contentType.split(";", 1)[0]!.trim().toLowerCase();
}

const TEXT =
  /^text\/|^application\/([\w.-]+\+)?(xml|yaml)$|^application\/(x-)?(javascript|ecmascript|ndjson|jsonlines|sh|toml|yaml|www-form-urlencoded|graphql|sql)$/;

function sniffMediaKind(bytes: Uint8Array): MediaKind {
  const start = Buffer.from(bytes.subarray(0, 512)).toString("latin1").trimStart().toLowerCase();
  if (start.startsWith("%pdf-")) return "pdf";
  if (/^(\x89png|\xff\xd8\xff|gif8|riff....webp)/.test(start)) return "image";
  if (looksBinary(Buffer.from(bytes))) return "binary";
  return /^(<!doctype html|<html|<head|<body)/.test(start) ? "html" : "text";
}
