import { describe, expect, test } from "vitest";
import { CHUNK_LIMITS, chunkBlocks } from "../../../../src/features/knowledge/chunks/chunk-blocks.ts";
import { afterPieces, countPieces } from "../../../../src/features/knowledge/chunks/word-pieces.ts";
import type { Passage } from "../../../../src/features/knowledge/document.ts";
import { markdownBlocks } from "../../../../src/features/knowledge/parse/markdown.ts";
import { paragraphs, parseCode } from "../../../../src/features/knowledge/parse/plain-text.ts";
import { workNow } from "../../../support/work-clock.ts";

const sentence = (number: number) => `Sentence number ${number} speaks about badgers and their ways. `;
const prose = (sentences: number) => Array.from({ length: sentences }, (_, at) => sentence(at)).join("");

/** What holds for passages of any text. */
function check(text: string, passages: readonly Passage[]): void {
  let last = 0;
  for (const { text: said, start, end } of passages) {
    expect(said).toBe(text.slice(start, end));
    expect(said.trim()).toBe(said);
    expect(countPieces(text, start, end)).toBeLessThanOrEqual(CHUNK_LIMITS.most);
    expect(end).toBeGreaterThan(last);
    // Nothing but white space is left out between two.
    expect(text.slice(last, Math.max(start, last)).trim()).toBe("");
    last = end;
  }
  expect(text.slice(last).trim()).toBe("");
}

function chunked(text: string): Passage[] {
  const passages = chunkBlocks(text, markdownBlocks(text));
  check(text, passages);
  return passages;
}

describe("passages", () => {
  test("keep what stands under one heading together, and know the headings above", () => {
    const text = `# Zoo\n\n## Badgers\n\n${prose(8)}\n\n- one item\n- another\n\n## Foxes\n\n${prose(8)}\n`;
    const passages = chunked(text);
    expect(passages.map(({ headings }) => headings)).toEqual([
      ["Zoo", "Badgers"],
      ["Zoo", "Foxes"],
    ]);
    expect(passages[0]!.text.startsWith("# Zoo\n\n## Badgers")).toBe(true);
    expect(passages[0]!.text.endsWith("- another")).toBe(true);
    expect(passages[1]!.text.startsWith("## Foxes")).toBe(true);
  });

  test("put small sections together, under the headings that they share", () => {
    const passages = chunked("# Zoo\n\n## Badgers\n\nBrown.\n\n## Foxes\n\nRed.\n\n## Owls\n\nGrey.\n");
    expect(passages).toHaveLength(1);
    expect(passages[0]!.headings).toEqual(["Zoo"]);
  });

  test("of a long paragraph end with a sentence and repeat a little of the one before", () => {
    const passages = chunked(prose(100));
    expect(passages.length).toBeGreaterThan(5);
    for (const [at, passage] of passages.entries()) {
      expect(passage.text).toMatch(/^Sentence number .*\.$/s);
      if (at > 0) expect(passage.start).toBeLessThan(passages[at - 1]!.end);
    }
  });

  test("of a program and of a table are cut between lines", () => {
    const table = `| a | b |\n|---|---|\n${Array.from({ length: 80 }, (_, at) => `| row ${at} | value ${at} |`).join("\n")}\n`;
    for (const { text } of chunked(table))
      for (const line of text.split("\n")) expect(line).toMatch(/^\|.*\|$/);
    const code = `export function first() {\n${Array.from({ length: 90 }, (_, at) => `  call(${at});`).join("\n")}\n}\n`;
    const { blocks } = parseCode(code, "js");
    const passages = chunkBlocks(code, blocks);
    check(code, passages);
    expect(passages.length).toBeGreaterThan(1);
    for (const { headings } of passages) expect(headings).toEqual(["export function first"]);
    for (const { text } of passages.slice(0, -1)) expect(text).toMatch(/;$/);
  });

  test("hold a text without any place to cut, in whole characters", () => {
    for (const unit of ["x", "字", "😀"]) {
      const text = unit.repeat(20_000);
      const passages = chunkBlocks(text, paragraphs(text));
      check(text, passages);
      for (const passage of passages) expect(Buffer.from(passage.text).toString()).toBe(passage.text);
    }
  });

  test("are made of headings alone where there is nothing else", () => {
    expect(chunked("# One\n\n## Two\n").map(({ text }) => text)).toEqual(["# One\n\n## Two"]);
    expect(chunked("")).toEqual([]);
    expect(chunked(" \n\n ")).toEqual([]);
  });

  test("take time in proportion to the text, whatever it is", () => {
    const texts = [
      "a ".repeat(1_000_000),
      "- x\n".repeat(300_000),
      "#\n".repeat(300_000),
      "`".repeat(2_000_000),
    ];
    for (const text of texts) {
      const began = workNow();
      chunkBlocks(text, markdownBlocks(text));
      expect(workNow() - began).toBeLessThan(5_000);
    }
  });

  test("are never more than a document may have", () => {
    const text = "word\n\n".repeat(10_000);
    const limits = { ...CHUNK_LIMITS, target: 2, most: 2, least: 0, passages: 100 };
    expect(chunkBlocks(text, paragraphs(text), limits)).toHaveLength(100);
  });
});

test("pieces are counted from any place to any other", () => {
  const text = "The internationalisation of badgers, 字 and 😀.";
  expect(countPieces(text, 0, text.length)).toBe(14);
  for (let most = 1; most < 14; most++)
    expect(countPieces(text, 0, afterPieces(text, 0, text.length, most))).toBe(most);
});
