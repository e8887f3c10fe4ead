import { expect, test } from "vitest";
import { changeTexts } from "../../../src/lib/text/change-texts.ts";

const same = (text: string) => text;
const secretOut = (text: string) => text.replaceAll("secret", "[out]");

test("a value without anything to change comes back as it is, not copied", () => {
  const value = { content: [{ type: "text", text: "hi" }], n: [1, null, true] };
  expect(changeTexts(value, same, 10)?.value).toBe(value);
});

test("texts and keys are changed wherever they stand, and the original is left alone", () => {
  const value = JSON.parse('{"a":["x",{"the secret":["secret"]}],"__proto__":{"k":"secret"},"kept":{"n":1}}');
  const before = JSON.stringify(value);
  const changed = changeTexts(value, secretOut, 10)!.value;
  expect(JSON.stringify(changed)).toBe(before.replaceAll("secret", "[out]"));
  expect(JSON.stringify(value)).toBe(before);
  expect(changed.kept).toBe(value.kept);
});

test.each([
  "",
  "\u0000\u0001\ud800",
  [],
  {},
  -1.7976931348623157e308,
  { a: [true, false, null, 12.5, "é", { "\n": [[[]]] }], b: "plain" },
])("the JSON of %j is as long as said", (value) => {
  const { atLeast, atMost } = changeTexts(value, same, 10)!;
  const { length } = JSON.stringify(value);
  expect(atLeast).toBeLessThanOrEqual(length);
  expect(atMost).toBeGreaterThanOrEqual(length);
});

test("what nests deeper than allowed is no value, however deep it is", () => {
  expect(changeTexts([[["x"]]], same, 3)).toBeDefined();
  expect(changeTexts([[["x"]]], same, 2)).toBeUndefined();
  let deep: unknown = "x";
  for (let level = 0; level < 100_000; level++) deep = { deep };
  expect(changeTexts(deep, same, 200)).toBeUndefined();
});
