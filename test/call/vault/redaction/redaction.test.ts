import { randomBytes } from "node:crypto";
import { describe, expect, it, test } from "vitest";
import { Redaction } from "../../../../src/call/vault/redaction/redaction.ts";
import { inDeep, sampleOf } from "../../../support/length.ts";

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

/** In a new process it would be less; what counts is that a quadratic search takes minutes. */
function millisecondsOf(work: () => void): number {
  const started = process.cpuUsage();
  work();
  return process.cpuUsage(started).user / 1_000;
}

test.each(
  sampleOf(
    [
      ["a value of one character, in a text of the same", ["a".repeat(65_536)]],
      ["a value that a text has nearly everywhere", [`${"a".repeat(65_535)}b`]],
      [
        "values of every length that a text has nearly",
        Array.from({ length: 100 }, (_, n) => `${"a".repeat(6 + n)}b`),
      ],
      [
        "many values that begin as a text does",
        Array.from({ length: 500 }, (_, n) => `${"a".repeat(20)}${n}`),
      ],
    ] as const,
    2,
  ),
)("%s, does not hold anything up", (_, values) => {
  const redaction = redactionOf(...values);
  const text = "a".repeat(200_000);
  expect(millisecondsOf(() => redaction.apply(text))).toBeLessThan(3_000);
});

test.each(sampleOf(["%", "\\", "\n", " ", "=\n", "&#", "&amp;", "%25", "\\u0041", "A\n", `"'`], 4))(
  "a text of %j alone is not read again and again",
  (part) => {
    const redaction = redactionOf("Zk29-dLm4_Qp7TsW", `p@ss "w'rd"+<>&%\\`);
    const text = part.repeat(200_000 / part.length);
    expect(millisecondsOf(() => redaction.apply(text))).toBeLessThan(3_000);
  },
);

test("escapes inside escapes are not followed without end", () => {
  const redaction = redactionOf(`p@ss "w'rd"+<>&%\\`);
  const text = `&${"amp;".repeat(50_000)}`;
  expect(redaction.apply(text)).toBe(text);
});

inDeep("values that stand in a text hundreds of thousands of times are taken out", () => {
  const redaction = redactionOf("abc'12");
  expect(redaction.apply("abc'12 ".repeat(300_000))).toBe("[redacted] ".repeat(300_000));
});

test("a long value is taken out whole, and in part", () => {
  const long = randomBytes(3_000).toString("base64");
  const redaction = redactionOf(long);
  expect(redaction.apply(`<${long}>`)).toBe("<[redacted]>");
  expect(redaction.apply(`<${JSON.stringify({ long })}>`)).toBe('<{"long":"[redacted]"}>');
  const part = redaction.apply(long.slice(100, 1_100));
  expect(part).toMatch(/^.{0,127}\[redacted\].{0,127}$/);
});

test("lines of dashes and spaces inside a long value stay in other texts", () => {
  const redaction = redactionOf(`first-part-of-it${" ".repeat(300)}${"-".repeat(300)}last-part-of-it`);
  const table = `${"-".repeat(200)} ${" ".repeat(200)}`;
  expect(redaction.apply(table)).toBe(table);
});

describe("a value of several lines", () => {
  const lines = Array.from({ length: 12 }, () => randomBytes(48).toString("base64"));
  const pem = ["-----BEGIN PRIVATE KEY-----", ...lines, "c2hvcnQ=", "-----END PRIVATE KEY-----", ""].join(
    "\n",
  );
  const redaction = redactionOf(pem);

  it("is taken out with other line ends, and without the last one", () => {
    expect(redaction.apply(`<${pem.replaceAll("\n", "\r\n").trim()}>`)).toBe("<[redacted]>");
    expect(redaction.apply(`<${pem.trim()}>`)).toBe("<[redacted]>");
    expect(redactionOf(pem.replaceAll("\n", "\r\n")).apply(`<${pem.trim()}>`)).toBe("<[redacted]>");
  });

  it("is taken out where it is indented, and each of its lines alone", () => {
    const indented = redaction.apply(pem.replaceAll("\n", "\n    "));
    for (const line of lines) {
      expect(indented).not.toContain(line.slice(0, 16));
      expect(redaction.apply(`key: ${line},`)).toBe("key: [redacted],");
    }
  });

  it("does not take the marks around it out of other texts", () => {
    expect(redaction.apply("it begins with -----BEGIN PRIVATE KEY-----")).toContain("BEGIN PRIVATE KEY");
  });
});

test.each([64, 76])("a value in base64 of %i columns is taken out", (columns) => {
  const long = `${randomBytes(400).toString("hex")}!`;
  const encoded = Buffer.from(long)
    .toString("base64")
    .match(new RegExp(`.{1,${columns}}`, "g"))!;
  const redaction = redactionOf(long);
  for (const end of ["\n", "\r\n"]) expect(redaction.apply(`<${encoded.join(end)}>`)).toBe("<[redacted]>");
  for (const line of encoded.slice(0, -1)) expect(redaction.apply(`  ${line}`)).toBe("  [redacted]");
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

  inDeep("are fewer where they are long", () => {
    const redaction = new Redaction();
    const values = Array.from({ length: 12 }, () => randomBytes(2_048).toString("hex"));
    for (const value of values) redaction.add(value, "one");
    expect(values.filter((value) => redaction.apply(value) === value)).toEqual(values.slice(0, 7));
  });

  it("go on in another series when theirs ends", () => {
    const redaction = new Redaction();
    redaction.add(token(1), "one");
    redaction.move("one", "ended");
    expect(redaction.apply(token(1))).toBe("[redacted]");
    for (let n = 2; n < 18; n++) redaction.add(token(n), "ended");
    expect(redaction.apply(token(1))).toBe(token(1));
  });

  it("stay known in one series when another forgets them", () => {
    const redaction = new Redaction();
    redaction.add(token(-1), "one");
    redaction.add(token(-1), "two");
    for (let n = 0; n < 40; n++) redaction.add(token(n), "one");
    expect(redaction.apply(token(-1))).toBe("[redacted]");
  });
});
