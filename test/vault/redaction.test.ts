import { randomBytes } from "node:crypto";
import { describe, expect, it, test } from "vitest";
import { Redaction } from "../../src/vault/redaction.ts";

const SECRET = 'p@ss "w/ord"+\n!';

function redactionOf(...values: string[]): Redaction {
  const redaction = new Redaction();
  for (const value of values) redaction.add(value);
  return redaction;
}

test("a value is removed wherever it stands, and the rest stays", () => {
  const redaction = redactionOf("hunter22");
  expect(redaction.apply("a hunter22 b hunter22hunter22.")).toBe("a [redacted] b [redacted][redacted].");
  expect(redaction.apply("nothing here")).toBe("nothing here");
  expect(redaction.apply("")).toBe("");
});

test.each([
  ["JSON", JSON.stringify({ key: SECRET })],
  ["a URL", `https://x/?key=${encodeURIComponent(SECRET)}`],
  ["a URL with small hex digits", encodeURIComponent(SECRET).replace(/%../g, (part) => part.toLowerCase())],
  ["a form", new URLSearchParams({ key: SECRET }).toString()],
  ["base64", Buffer.from(SECRET).toString("base64")],
  ["base64url", Buffer.from(SECRET).toString("base64url")],
])("a value is removed from %s", (_, text) => {
  expect(redactionOf(SECRET).apply(text)).toContain("[redacted]");
});

test("a value inside a longer base64 text is removed, whatever its offset", () => {
  const secret = "correct-horse-battery";
  for (const user of ["", "a", "ab", "abc", "admin:"]) {
    const header = Buffer.from(`${user}${secret}:tail`).toString("base64");
    const rest = Buffer.from(redactionOf(secret).apply(header).split("[redacted]").join("AAAA"), "base64");
    expect(rest.toString("latin1"), user).not.toMatch(/orrec|horse|batte/);
  }
});

test("overlapping values are removed as one, whichever was added first", () => {
  for (const values of [
    ["abcdefgh", "efghijkl"],
    ["efghijkl", "abcdefgh"],
    ["abcdef", "abcdefghijkl"],
  ]) {
    expect(redactionOf(...values).apply("<abcdefghijkl>")).toBe("<[redacted]>");
  }
  expect(redactionOf("ababab").apply("<abababab>")).toBe("<[redacted]>");
});

test("a value that reads like the replacement does not multiply it", () => {
  expect(redactionOf("redacted", "[redacted]", "secret-value").apply("secret-value")).toBe("[redacted]");
});

test("values under six characters are left alone", () => {
  expect(redactionOf("", "true", "12345").apply("true 12345")).toBe("true 12345");
});

test("half a surrogate pair is no reason to throw", () => {
  expect(redactionOf("secret\ud800").apply("secret\ud800")).toBe("[redacted]");
});

test("a text of 100 kB and a hundred values take milliseconds", () => {
  const redaction = redactionOf(...Array.from({ length: 100 }, () => randomBytes(24).toString("base64")));
  const text = randomBytes(75_000).toString("base64");
  redaction.apply(text);
  const started = performance.now();
  for (let round = 0; round < 5; round++) redaction.apply(text);
  const each = (performance.now() - started) / 5;
  console.info(`redacting 100 kB with 100 values: ${each.toFixed(1)} ms`);
  expect(each).toBeLessThan(250);
});

describe("values that take each other's place", () => {
  const token = (n: number) => `token-number-${n}-of-the-series`;

  it("are known for a while and then forgotten", () => {
    const redaction = new Redaction();
    for (let n = 0; n < 40; n++) redaction.add(token(n), "one");
    expect(redaction.apply(token(39))).toBe("[redacted]");
    expect(redaction.apply(token(24))).toBe("[redacted]");
    expect(redaction.apply(token(23))).toBe(token(23));
  });

  it("stay known while they are named again, or known otherwise", () => {
    const redaction = new Redaction();
    redaction.add(token(-1));
    for (let n = 0; n < 40; n++) {
      redaction.add(token(-1), "one");
      redaction.add(token(-2), "one");
      redaction.add(token(n), "one");
    }
    expect(redaction.apply(`${token(-1)} ${token(-2)}`)).toBe("[redacted] [redacted]");
  });

  it("do not take others with them that look alike", () => {
    const redaction = new Redaction();
    redaction.add("same-value-in-two-series", "one");
    redaction.add("same-value-in-two-series", "two");
    for (let n = 0; n < 40; n++) redaction.add(token(n), "one");
    redaction.add("same-value-in-two-series", "two");
    expect(redaction.apply("same-value-in-two-series")).toBe("[redacted]");
  });
});
