import { expect, it } from "vitest";
import { Redaction } from "../../../../src/call/vault/redaction/redaction.ts";
import { atLength } from "../../../support/length.ts";
import { problemInBase64, WRAPS } from "../../../support/wrapped-base64.ts";

/** The same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
}

const VALUES = [
  "Zk29-dLm4_Qp7TsWv8Hn",
  `p@ss/w"rd+<é>&'x=!(y)*~$`,
  "hunter22xyz",
  "ghp_" + "aB3dE5fG7h".repeat(4),
];
function redactionOf(value: string): Redaction {
  const redaction = new Redaction();
  redaction.add(value);
  return redaction;
}

/** What is left of an encoded text, with what was taken out marked. */
function kept(text: string): string[] {
  return text.split("[redacted]");
}

const hex = (code: number, digits: number) => code.toString(16).padStart(digits, "0");

it("base64 is found at offsets, in lines of widths and with line ends of all kinds, and the rest of it stays", () => {
  const next = numbers(7);
  const missed: string[] = [];
  for (const value of VALUES.slice(0, 2)) {
    const redaction = redactionOf(value);
    for (let round = 0; round < atLength(2_500, 400); round++) {
      const [offset, width, wrap] = [next(60), 1 + next(80), next(WRAPS.length)];
      const problem = problemInBase64(redaction, value, offset, width > 79 ? undefined : width, WRAPS[wrap]!);
      if (problem !== undefined) missed.push(problem);
    }
  }
  expect(missed).toEqual([]);
});

/** Each writes one character in one of its ways. */
const FAMILIES: Record<string, (character: string, next: (below: number) => number) => string> = {
  percent: (character, next) => {
    const must = /[%+]/.test(character) || next(3) === 0;
    const bytes = [...Buffer.from(character)].map(
      (byte) => `%${next(2) ? hex(byte, 2) : hex(byte, 2).toUpperCase()}`,
    );
    return must || character > "\x7f" ? bytes.join("") : character;
  },
  html: (character, next) => {
    const code = character.codePointAt(0)!;
    const named: Record<string, string> = {
      "&": "&amp;",
      "<": "&lt;",
      ">": "&gt;",
      '"': "&quot;",
      "'": "&apos;",
    };
    const ways = [`&#${code};`, `&#x${hex(code, 1)};`, `&#X${hex(code, 4).toUpperCase()};`, `&#0${code};`];
    if (character in named && next(2) === 0) return named[character]!;
    return character in named || next(3) === 0 ? ways[next(4)]! : character;
  },
  javascript: (character, next) => {
    const code = character.charCodeAt(0);
    const ways = [
      `\\u${hex(code, 4)}`,
      `\\u${hex(code, 4).toUpperCase()}`,
      `\\u{${hex(code, 1)}}`,
      `\\x${hex(code, 2)}`,
    ];
    if (/["'\\]/.test(character) && next(2) === 0) return `\\${character}`;
    return /["'\\]/.test(character) || next(3) === 0 ? ways[next(4)]! : character;
  },
  shell: (character) => (/[A-Za-z0-9_\-é]/.test(character) ? character : `\\${character}`),
};

it.each(Object.keys(FAMILIES))("generated mixes of %s escapes are found, and nothing else goes", (name) => {
  const next = numbers(name.length);
  const missed: string[] = [];
  for (let round = 0; round < atLength(200, 60); round++) {
    const value = VALUES[round % VALUES.length]!;
    const text = [...value].map((character) => FAMILIES[name]!(character, next)).join("");
    const around = `${"some words before it, ".repeat(next(4))}key: `;
    const got = redactionOf(value).apply(`${around}${text}; and after`);
    if (got !== `${around}[redacted]; and after`) missed.push(`${text} → ${got}`);
  }
  expect(missed).toEqual([]);
});

const QUOTED = `it's a "secret" $value!`;
it.each([
  ["sh", QUOTED.replaceAll("'", "'\\''")],
  ["shlex", QUOTED.replaceAll("'", `'"'"'`)],
  ["YAML in single quotes", QUOTED.replaceAll("'", "''")],
  ["CSV", QUOTED.replaceAll('"', '""')],
  ["printf %q", QUOTED.replace(/[^A-Za-z0-9]/g, "\\$&")],
  ["folded YAML", QUOTED.replace(" $", "\n    $")],
  ["JSON in JSON", JSON.stringify(JSON.stringify(QUOTED)).slice(3, -3)],
  ["HTML in JSON", JSON.stringify(QUOTED.replaceAll("'", "&#39;").replaceAll('"', "&quot;")).slice(1, -1)],
  ["JSON that is safe in HTML", "a\\u0026b\\u003csecret-of-mine"],
  ["a URL in a URL", encodeURIComponent(encodeURIComponent(QUOTED))],
  ["quoted-printable", QUOTED.replace("secret", "sec=\nret").replaceAll("!", "=21")],
])("a value is found as %s writes it", (_, text) => {
  const redaction = redactionOf(QUOTED);
  redaction.add("a&b<secret-of-mine");
  expect(redaction.apply(`before: ${text} :after`)).toBe("before: [redacted] :after");
});

it.each([" ", ":", "\n", "\r\n    "])("hex is found with %j between bytes, in either case", (separator) => {
  for (const value of VALUES)
    for (const digits of [
      Buffer.from(value).toString("hex"),
      Buffer.from(value).toString("hex").toUpperCase(),
    ]) {
      const text = digits.match(/../g)!.join(separator);
      expect(redactionOf(value).apply(`<${text}>`)).toBe("<[redacted]>");
    }
});

it("a dump shows nothing of it, at any offset, in hex or as characters", () => {
  for (const value of VALUES)
    for (let offset = 0; offset < 20; offset++) {
      const bytes = Buffer.from("#".repeat(offset) + value + " and what follows it");
      let text = "";
      for (let at = 0; at < bytes.length; at += 16) {
        const line = bytes.subarray(at, at + 16);
        const digits = line
          .toString("hex")
          .match(/.{1,4}/g)!
          .join(" ")
          .padEnd(40);
        text += `${hex(at, 8)}: ${digits} ${line.toString("latin1").replace(/[^ -~]/g, ".")}\n`;
      }
      const shown = redactionOf(value).apply(text);
      const left = shown.replace(/^\S+: /gm, "").replace(/[^0-9a-f\n]/g, "");
      expect(left, `${value} ${offset}`).not.toContain(Buffer.from(value).toString("hex").slice(4, 14));
      expect(shown).not.toContain(value.slice(1, 6));
    }
});

it("a value with escapes is found inside a text in base64, and one in base64 twice", () => {
  const value = 'correct-horse"battery-staple\\x';
  const file = JSON.stringify({ user: "ada", password: value, host: "db.internal" });
  expect(kept(redactionOf(value).apply(Buffer.from(file).toString("base64")))).toHaveLength(2);
  const twice = Buffer.from(`{"auth":"${Buffer.from(`ada:${VALUES[0]}`).toString("base64")}"}`).toString(
    "base64",
  );
  expect(kept(redactionOf(VALUES[0]!).apply(twice))).toHaveLength(2);
});

it.each([
  ["let me in", "letmein"],
  ["it's fine: dont-panic", "don't-panic"],
  ["pass\nword123", "password123"],
])("%j is not %j", (text, value) => {
  expect(redactionOf(value).apply(text)).toBe(text);
});
