import { expect, test } from "vitest";
import { storableText } from "../../../../src/features/knowledge/parse/decode.ts";
import { TextBuilder } from "../../../../src/features/knowledge/parse/text-builder.ts";
import { atLength } from "../../../support/length.ts";

const MANY = atLength(20_000_000, 2_000_000);

test("millions of empty lines before the first that says something are left out", () => {
  const builder = new TextBuilder();
  builder.lines(`${"\n".repeat(MANY)} \t\r\n  a\n  b\n`);
  builder.lines(" \n\n");
  expect(builder.build().text).toBe("  a\n  b\n\n");
});

test("millions of zero bytes are as many signs that something is not text", () => {
  expect(storableText(`a${"\0".repeat(MANY)}b`)).toHaveLength(MANY + 2);
  expect(storableText("a\0\0b\uD800")).toBe("a\uFFFD\uFFFDb\uFFFD");
});
