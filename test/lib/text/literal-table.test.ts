import { expect, it } from "vitest";
import { LiteralTable, lengthBit } from "../../../src/lib/text/literal-table.ts";

it("finds what was added under a text, also of lengths that share their rest", () => {
  const table = new LiteralTable<number>();
  expect(table.mayHave(-1)).toBe(false);
  const long = "x".repeat(35);
  [".env", "src", long, ".env"].forEach((literal, value) => {
    table.add(literal, value);
  });
  expect(table.mayHave(lengthBit(3))).toBe(true);
  expect(table.mayHave(lengthBit(long.length))).toBe(true);
  expect(table.mayHave(lengthBit(5) | lengthBit(7))).toBe(false);
  const found = (text: string) => {
    const values: number[] = [];
    table.collect(text, values);
    return values;
  };
  expect(found(".env")).toEqual([0, 3]);
  expect(found(long)).toEqual([2]);
  expect(["abc", "x".repeat(36), "", "y".repeat(32)].map(found)).toEqual([[], [], [], []]);
});
