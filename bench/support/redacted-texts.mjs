// Texts of 100 KB of many kinds, and values to look for in them; the same in every run.
import { createHash } from "node:crypto";

const SIZE = 100_000;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const WORDS =
  "the server reads a request and gives an answer to whoever has asked for it before any other call is made because order matters when files change while somebody looks at them and nothing else would tell apart what was written first from what came later in the same second".split(
    " ",
  );

/** Numbers below what is asked for. */
export function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
}

export function values(count, shortest, longest) {
  const next = numbers(count + shortest);
  return Array.from({ length: count }, (_, index) =>
    Array.from(
      { length: shortest + ((index * 7) % (longest - shortest + 1)) },
      () => ALPHABET[next(64)],
    ).join(""),
  );
}

const bytes = (count) => {
  const parts = [];
  for (let at = 0; at < count; at += 32) parts.push(createHash("sha256").update(`part ${at}`).digest());
  return Buffer.concat(parts).subarray(0, count);
};
const words = (next, count) => Array.from({ length: count }, () => WORDS[next(WORDS.length)]).join(" ");
const record = (next, id) => ({
  id,
  name: words(next, 2),
  email: `${words(next, 1)}${next(1000)}@example.com`,
  active: next(2) === 0,
  score: next(100_000) / 100,
  tags: Array.from({ length: 1 + next(3) }, () => words(next, 1)),
  url: `https://example.com/${words(next, 1)}/${next(10_000)}?page=${next(9)}`,
  note: `${words(next, 8)}.`,
  nested: { a: next(100), b: null, c: [next(10), next(10)] },
});
const records = (next, size) => {
  const list = [];
  for (let length = 0; length < size; length += JSON.stringify(list.at(-1)).length)
    list.push(record(next, list.length));
  return list;
};
const filled = (make) => {
  let text = "";
  while (text.length < SIZE) text += make();
  return text.slice(0, SIZE);
};

export const KINDS = {
  prose: (next) => filled(() => `${words(next, 12)}.\n`),
  "pretty JSON": (next) => JSON.stringify(records(next, SIZE), null, 2).slice(0, SIZE),
  "minified JSON": (next) => JSON.stringify(records(next, SIZE)).slice(0, SIZE),
  "JSON in JSON": (next) => JSON.stringify({ result: JSON.stringify(records(next, SIZE)) }).slice(0, SIZE),
  HTML: (next) =>
    filled(
      () =>
        `<div class="row item-${next(99)}">\n  <a href="/${words(next, 1)}?a=${next(9)}&amp;b=${next(9)}">${words(next, 3)}</a>\n  <p>${words(next, 9)} &lt;${words(next, 1)}&gt; &quot;${words(next, 2)}&quot;&nbsp;&#39;s</p>\n</div>\n`,
    ),
  "minified JS": (next) =>
    filled(
      () =>
        `function ${words(next, 1)}${next(99)}(e,t){var n=e.${words(next, 1)}||{},r=t&&t.length>${next(9)}?"${words(next, 2)}\\n":'${words(next, 1)}';return n[r]=/\\d+\\s*/.test(r)&&e%${1 + next(9)}===0,n}`,
    ),
  "base64, one line": () => bytes(SIZE).toString("base64").slice(0, SIZE),
  "base64, 76 columns": () =>
    bytes(SIZE)
      .toString("base64")
      .match(/.{1,76}/g)
      .join("\n")
      .slice(0, SIZE),
  "plain hex": () => bytes(SIZE / 2).toString("hex"),
  "a hex dump": () => {
    const dumped = bytes(SIZE / 2);
    let at = 0;
    return filled(() => {
      const line = dumped.subarray(at, at + 16);
      const place = at.toString(16).padStart(8, "0");
      at += 16;
      const digits = line.toString("hex").match(/.{4}/g).join(" ");
      return `${place}: ${digits}  ${line.toString("latin1").replace(/[^ -~]/g, ".")}\n`;
    });
  },
  unicode: (next) =>
    filled(() => `${words(next, 4)} größer als Übermut, 你好世界 – ${words(next, 5)} “естественно”.\n`),
};
