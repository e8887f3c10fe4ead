import { expect, it } from "vitest";
import { LiteralTable } from "../../src/lib/literal-table.ts";

it("finds what was added under a text, also of lengths that share their rest", () => {
  const table = new LiteralTable<number>();
  expect(table.isEmpty).toBe(true);
  const long = "x".repeat(35);
  [".env", "src", long, ".env"].forEach((literal, value) => {
    table.add(literal, value);
  });
  expect(table.isEmpty).toBe(false);
  const found = (text: string) => {
    const values: number[] = [];
    table.collect(text, values);
    return values;
  };
  expect(found(".env")).toEqual([0, 3]);
  expect(found(long)).toEqual([2]);
  expect(["abc", "x".repeat(36), "", "y".repeat(32)].map(found)).toEqual([[], [], [], []]);
});
