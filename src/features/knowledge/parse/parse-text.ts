import { createHash } from "node:crypto";
import { chunkBlocks } from "../chunks/chunk-blocks.ts";
import type { PluginDocument } from "../sources/plugin-source.ts";
import { parseMarkdown } from "./markdown.ts";
import { tagsOf, timeOf, titleOf } from "./parsed-document.ts";
import { parsePlainText } from "./plain-text.ts";
import type { ReadDocument } from "./read-job.ts";

/** A document that came as text, with what was said about it beside it. */
export async function parseText(
  key: string,
  given: PluginDocument,
  fallbackAt: number,
): Promise<ReadDocument> {
  const { text, format } = given;
  const parsed =
    format === "html"
      ? await (await import("./html.ts")).parseHtmlText(text)
      : format === "text"
        ? parsePlainText(text)
        : parseMarkdown(text);
  return {
    key,
    title: titleOf(given.title) || parsed.title || titleOf(key),
    type: parsed.type,
    tags: tagsOf([...given.tags, ...parsed.tags]),
    uri: given.uri ?? key,
    documentAt: timeOf(given.updatedAt) ?? parsed.documentAt ?? fallbackAt,
    metadata: { ...parsed.metadata, ...given.metadata },
    passages: chunkBlocks(parsed.text, parsed.blocks),
    hash: createHash("sha256").update(JSON.stringify(given)).digest("hex"),
  };
}
