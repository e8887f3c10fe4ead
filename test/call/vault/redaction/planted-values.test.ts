import { expect, it } from "vitest";
import { Redaction } from "../../../../src/call/vault/redaction/redaction.ts";
import { Dice } from "../../../support/dice.ts";
import { atLength } from "../../../support/length.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const WORDS = "the server reads a request and gives an answer to whoever asked before any other call".split(
  " ",
);
/** Characters of a text before and after a value. */
const AROUND = 1_500;

const letters = (dice: Dice, from: string, count: number) =>
  Array.from({ length: count }, () => from[dice.below(from.length)]).join("");
const words = (dice: Dice, count: number) => Array.from({ length: count }, () => dice.one(WORDS)).join(" ");
const bytes = (dice: Dice, count: number) =>
  Buffer.from(Array.from({ length: count }, () => dice.below(256)));
const record = (dice: Dice) => ({
  id: dice.below(10_000),
  name: words(dice, 2),
  url: `https://example.com/${words(dice, 1)}?page=${dice.below(9)}`,
  note: `${words(dice, 6)}.`,
  nested: { a: dice.below(100), b: null, c: [dice.below(10), dice.below(10)] },
});
const lines = (text: string, width: number) => text.match(new RegExp(`.{1,${width}}`, "g"))!.join("\n");
const dumpLine = (dice: Dice) => {
  const line = bytes(dice, 16);
  const digits = line.toString("hex").match(/.{4}/g)!.join(" ");
  return `${letters(dice, "0123456789abcdef", 8)}: ${digits}  ${line.toString("latin1").replace(/[^ -~]/g, ".")}\n`;
};

/** A part of a text of each kind that `npm run bench -- redaction` measures. */
const KINDS: Record<string, (dice: Dice) => string> = {
  prose: (dice) => `${words(dice, 12)}.\n`,
  "pretty JSON": (dice) => `${JSON.stringify(record(dice), null, 2)},\n`,
  "minified JSON": (dice) => `${JSON.stringify(record(dice))},`,
  "JSON in JSON": (dice) => JSON.stringify(JSON.stringify(record(dice))).slice(1, -1),
  HTML: (dice) =>
    `<div class="row">\n  <a href="/${words(dice, 1)}?a=${dice.below(9)}&amp;b=2">${words(dice, 3)}</a> &lt;&#39;&nbsp;\n</div>\n`,
  "minified JS": (dice) =>
    `function a${dice.below(99)}(e,t){var r=t&&t.length>1?"${words(dice, 2)}\\n":'x';return/\\d+\\s*/.test(r)&&e%${dice.below(9)}===0}`,
  "base64, one line": (dice) => bytes(dice, 300).toString("base64"),
  "base64, 76 columns": (dice) => `${lines(bytes(dice, 300).toString("base64"), 76)}\n`,
  "plain hex": (dice) => bytes(dice, 300).toString("hex"),
  "a hex dump": dumpLine,
  unicode: (dice) => `${words(dice, 3)} größer als Übermut, 你好世界 – “естественно”.\n`,
};

const hex = (code: number, digits: number) => code.toString(16).padStart(digits, "0");
const some = (value: string, dice: Dice, write: (character: string) => string) =>
  [...value].map((each) => (dice.chance(0.3) ? write(each) : each)).join("");
const base64 = (value: string, dice: Dice) =>
  Buffer.concat([bytes(dice, dice.below(4)), Buffer.from(value)]).toString("base64");
const BREAKS = ["\n", "\r\n", "\\n", "\\r\\n", "\n    ", "\n      ", "\n\t"];

const SPELLINGS: Record<string, (value: string, dice: Dice) => string> = {
  "as it is": (value) => value,
  percent: (value, dice) => some(value, dice, (each) => `%${hex(each.charCodeAt(0), 2)}`),
  "percent twice": (value, dice) => some(value, dice, (each) => `%25${hex(each.charCodeAt(0), 2)}`),
  html: (value, dice) => some(value, dice, (each) => `&#${each.charCodeAt(0)};`),
  "html in html": (value, dice) => some(value, dice, (each) => `&amp;#x${hex(each.charCodeAt(0), 2)};`),
  json: (value, dice) => some(value, dice, (each) => `\\u${hex(each.charCodeAt(0), 4)}`),
  "json in json": (value, dice) => some(value, dice, (each) => `\\\\u${hex(each.charCodeAt(0), 4)}`),
  javascript: (value, dice) => some(value, dice, (each) => `\\x${hex(each.charCodeAt(0), 2).toUpperCase()}`),
  octal: (value, dice) => some(value, dice, (each) => `\\${each.charCodeAt(0).toString(8).padStart(3, "0")}`),
  "lines that go on": (value, dice) => some(value, dice, (each) => `\\\n${each}`),
  hex: (value) => Buffer.from(value).toString("hex"),
  "hex with blanks": (value, dice) =>
    Buffer.from(value)
      .toString("hex")
      .match(/../g)!
      .join(dice.one([" ", ":"])),
  base64,
  "base64 in lines": (value, dice) =>
    lines(base64(value, dice), 2 + dice.below(30)).replaceAll("\n", dice.one(BREAKS)),
};

const seed = Number(process.env.TEST_SEED ?? 20_261_118);

it.each(Object.keys(KINDS))(`a value is found in %s, in every spelling (TEST_SEED=${seed})`, (kind) => {
  const dice = new Dice(seed + kind.length);
  const part = () => {
    let text = "";
    while (text.length < AROUND) text += KINDS[kind]!(dice);
    return text.slice(0, AROUND - dice.below(40));
  };
  const missed: string[] = [];
  for (let round = 0; round < atLength(12, 2); round++) {
    const redaction = new Redaction();
    const values = Array.from({ length: 8 }, () => letters(dice, ALPHABET, 8 + dice.below(32)));
    for (const value of values) redaction.add(value);
    for (const [spelling, write] of Object.entries(SPELLINGS)) {
      const planted = write(dice.one(values), dice);
      const [before, after] = [part(), part()];
      const got = redaction.apply(`${before} (${planted}) ${after}`);
      const isLeft = got.includes(planted) || !got.startsWith(before) || !got.endsWith(after);
      // Beside a value in base64, bytes of something else stay.
      const rest = got.slice(before.length, got.length - after.length).replace("[redacted]", "");
      if (isLeft || rest.length > 16) missed.push(`${spelling}: ${planted} → ${rest}`);
    }
  }
  expect(missed).toEqual([]);
});
