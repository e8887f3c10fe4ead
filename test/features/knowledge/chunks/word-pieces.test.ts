import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chunkBlocks } from "../../../../src/features/knowledge/chunks/chunk-blocks.ts";
import { countPieces } from "../../../../src/features/knowledge/chunks/word-pieces.ts";
import { markdownBlocks } from "../../../../src/features/knowledge/parse/markdown.ts";
import { createWordPiece } from "../../../../src/machine/text/meaning/minilm/wordpiece.ts";
import { testMinilm } from "../../../support/minilm.ts";

const DOCS = join(import.meta.dirname, "../../../../docs");
const READ_AT_ONCE = 256;

test.runIf(testMinilm() !== undefined)(
  "the model reads passages of English whole, and the estimate is close",
  () => {
    const { tokenizer } = testMinilm()!;
    const { vocab } = JSON.parse(readFileSync(tokenizer, "utf8")).model as { vocab: Record<string, number> };
    const wordPiece = createWordPiece(new Map(Object.entries(vocab)));
    let [real, estimated] = [0, 0];
    for (const name of readdirSync(DOCS).filter((file) => file.endsWith(".md"))) {
      const text = readFileSync(join(DOCS, name), "utf8");
      for (const passage of chunkBlocks(text, markdownBlocks(text))) {
        const pieces = wordPiece(passage.text, 10_000).length;
        expect(pieces).toBeLessThanOrEqual(READ_AT_ONCE);
        real += pieces;
        estimated += countPieces(passage.text, 0, passage.text.length);
      }
    }
    expect(real / estimated).toBeGreaterThan(0.85);
    expect(real / estimated).toBeLessThan(1.15);
  },
);
