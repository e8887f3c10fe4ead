import { describe, expect, it } from "vitest";
import { isInexact, parseExact } from "../../src/lib/exact-json.ts";

describe("parseExact", () => {
  it.each([
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", "9007199254740993"],
    ["-9007199254740993", "-9007199254740993"],
    ["9007199254740994", 9007199254740994],
    ["9007199254740993.0", "9007199254740993.0"],
    ["900719925474099.3e1", "900719925474099.3e1"],
    // JavaScript would send it on as 1152921504606847000.
    ["1152921504606846976", "1152921504606846976"],
    ["1152921504606847000", 1152921504606847000],
    ["1e21", 1e21],
    ["1e400", "1e400"],
    ["1.7976931348623157e308", Number.MAX_VALUE],
    ["0.1234567890123456789", 0.12345678901234568],
    ["12345678901234567890", "12345678901234567890"],
    ['"9007199254740993"', "9007199254740993"],
    [
      '{"9007199254740993":"\\"9007199254740993","b":[9007199254740993,"\\\\",7]}',
      {
        "9007199254740993": '"9007199254740993',
        b: ["9007199254740993", "\\", 7],
      },
    ],
  ])("reads %s", (json, value) => {
    expect(parseExact(json)).toEqual(value);
  });

  it.each([
    "{9007199254740993:1}",
    "09007199254740993",
    "9007199254740993.",
    "[9007199254740993",
    '"9007199254740993',
  ])("takes %s for JSON no more than JSON.parse does", (json) => {
    expect(() => parseExact(json)).toThrow(SyntaxError);
  });

  it("reads a text of megabytes in linear time", () => {
    const text = `${"1e1".repeat(500_000)}${"\\".repeat(500_000)}"`;
    expect(parseExact(JSON.stringify([text, 1]))).toEqual([text, 1]);
  });

  it("every other number is the one that JSON.parse reads", () => {
    for (let index = 0; index < 3_000; index++) {
      const number = ((index * 7919) % 1_000_003) * 10 ** ((index % 40) - 20) * (index % 2 ? 1 : -1);
      const text = JSON.stringify(number);
      expect(isInexact(text)).toBe(false);
      expect(parseExact(`[${text}]`)).toEqual(JSON.parse(`[${text}]`));
    }
  });
});
