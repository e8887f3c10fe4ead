import { describe, expect, test } from "vitest";
import { parseJson } from "../../../../src/machine/config/document/json-document.ts";

describe("parseJson", () => {
  test("comments and trailing commas are accepted, as editors write them", () => {
    const text = `// a comment
{
  "a": 1, /* over
  two lines */ "b": [true, null, ],
  "c": "http://x/*not a comment*/",
}`;
    expect(parseJson(text).value).toEqual({ a: 1, b: [true, null], c: "http://x/*not a comment*/" });
  });

  test("every key and list item knows its line and column", () => {
    const document = parseJson('{\n  "a": {"b": 1},\n  "list": [\n    "x",\n    {"y": 2}\n  ]\n}');
    expect(document.locate(["a", "b"])).toEqual({ line: 2, column: 9 });
    expect(document.locate(["list"])).toEqual({ line: 3, column: 3 });
    expect(document.locate(["list", 1, "y"])).toEqual({ line: 5, column: 6 });
  });

  test("lines are counted the same with Windows line ends", () => {
    expect(parseJson('{\r\n"a": 1,\r\n"b": 2\r\n}').locate(["b"])).toEqual({ line: 3, column: 1 });
  });

  test("a key that is not there is located at the closest one above it", () => {
    const document = parseJson('{\n"a": {}\n}');
    expect(document.locate(["a", "b", "c"])).toEqual({ line: 2, column: 1 });
    expect(document.locate(["z"])).toEqual({ line: 1, column: 1 });
  });

  test("a key named __proto__ is an ordinary key", () => {
    const value = parseJson('{"__proto__": {"polluted": true}}').value as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(value.polluted).toBeUndefined();
  });

  test.each([
    ['{\n  "a": 1,\n  "a": 2\n}', 'the key "a" is given twice, first in line 2', 3, 3],
    ['{\n  "a" 1\n}', 'expected ":" after the key, got "1"', 2, 7],
    ['{\n  "a": "x\n}', "expected a closing double quote on the same line", 2, 8],
    ['{"a": 1 "b": 2}', 'expected "," or "}", got "\\""', 1, 9],
    ["{a: 1}", 'expected a key in double quotes, got "a"', 1, 2],
    ['{"a": yes}', "expected a value: a string in double quotes, a number, true, false, null, { or [", 1, 7],
    ["", "expected a value, got the end of the file", 1, 1],
    ["{} {}", 'expected the end of the file, got "{"', 1, 4],
    ["[".repeat(100), "expected at most 64 levels of nesting", 1, 66],
  ])("%j is refused with its place", (text, message, line, column) => {
    expect(() => parseJson(text)).toThrow(expect.objectContaining({ message, position: { line, column } }));
  });
});
