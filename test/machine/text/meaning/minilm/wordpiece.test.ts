import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createWordPiece } from "../../../../../src/machine/text/meaning/minilm/wordpiece.ts";
import { testMinilm } from "../../../../support/minilm.ts";

const PIECES = [
  "[PAD]",
  "[UNK]",
  "[CLS]",
  "[SEP]",
  "cafe",
  "run",
  "##ning",
  "##s",
  "東",
  "京",
  "!",
  "$",
  "5",
];
const small = createWordPiece(new Map(PIECES.map((piece, number) => [piece, number])));
const read = (text: string, maxTokens = 20) => small(text, maxTokens).map((number) => PIECES[number]);

describe("the pieces of words", () => {
  it.each([
    ["running cafes", ["run", "##ning", "cafe", "##s"]],
    ["CAFÉ\u0301 Cafe\u0301s", ["cafe", "cafe", "##s"]],
    ["cafe!$5", ["cafe", "!", "$", "5"]],
    ["東京cafe", ["東", "京", "cafe"]],
    ["ca\u0000fe\u200b\tru\ufffdn\u00a0run", ["cafe", "run", "run"]],
    ["cafex run", ["[UNK]", "run"]],
    [`run${"s".repeat(200)} run`, ["[UNK]", "run"]],
    ["  ", []],
    ["", []],
  ])("are those of the vocabulary: %j", (text, pieces) => {
    expect(read(text)).toEqual(["[CLS]", ...pieces, "[SEP]"]);
  });

  it("are no more than were asked for, however long the text is", () => {
    expect(read("run running run", 4)).toEqual(["[CLS]", "run", "run", "[SEP]"]);
    expect(small("running ".repeat(1_000_000), 256)).toHaveLength(256);
  });
});

const model = testMinilm();

describe.skipIf(!model)("the pieces of the real vocabulary", () => {
  it.each([
    ["hello world", [101, 7592, 2088, 102]],
    ["This is an example sentence", [101, 2023, 2003, 2019, 2742, 6251, 102]],
    ["unaffable", [101, 14477, 20961, 3468, 102]],
    ["Hello, World!", [101, 7592, 1010, 2088, 999, 102]],
    ["", [101, 102]],
  ])("are those that the model was trained on: %j", (text, numbers) => {
    const { vocab } = JSON.parse(readFileSync(model!.tokenizer, "utf8")).model;
    expect(createWordPiece(new Map(Object.entries<number>(vocab)))(text, 256)).toEqual(numbers);
  });
});
