import { looksBinary } from "../../machine/files/text-file.ts";

/** What an answer is to a reader. */
export type MediaKind = "html" | "markdown" | "json" | "text" | "pdf" | "image" | "binary";

/** By what the server says, and by the first bytes where it says nothing or calls everything a stream of bytes. */
export function mediaKindOf(contentType: string, bytes: Uint8Array): MediaKind {
  const type = mediaTypeOf(contentType);
  if (type === "" || type === "application/octet-stream") return sniffed(bytes);
  if (/^(text\/html|application\/xhtml\+xml)$/.test(type)) return "html";
  if (/^text\/(x-)?markdown$/.test(type)) return "markdown";
  if (/^application\/([\w.-]+\+)?json$|^text\/json$/.test(type)) return "json";
  if (type === "application/pdf") return "pdf";
  if (type === "image/svg+xml" || TEXT.test(type)) return looksBinary(Buffer.from(bytes)) ? "binary" : "text";
  return type.startsWith("image/") ? "image" : "binary";
}

/** `text/html` of `Text/HTML; charset=utf-8`. */
export function mediaTypeOf(contentType: string): string {
  return contentType.split(";", 1)[0]!.trim().toLowerCase();
}

const TEXT =
  /^text\/|^application\/([\w.-]+\+)?(xml|yaml)$|^application\/(x-)?(javascript|ecmascript|ndjson|jsonlines|sh|toml|yaml|www-form-urlencoded|graphql|sql)$/;

function sniffed(bytes: Uint8Array): MediaKind {
  const start = Buffer.from(bytes.subarray(0, 512)).toString("latin1").trimStart().toLowerCase();
  if (start.startsWith("%pdf-")) return "pdf";
  if (/^(\x89png|\xff\xd8\xff|gif8|riff....webp)/.test(start)) return "image";
  if (looksBinary(Buffer.from(bytes))) return "binary";
  return /^(<!doctype html|<html|<head|<body)/.test(start) ? "html" : "text";
}
