import { describe, expect, test } from "vitest";
import {
  markdownBlocks,
  parseMarkdown,
  parseObsidian,
} from "../../../../src/features/knowledge/parse/markdown.ts";

const shapes = (text: string) =>
  markdownBlocks(text).map((block) =>
    block.kind === "heading"
      ? `h${block.level} ${block.title}`
      : `${block.kind} ${text.slice(block.start, block.end).replaceAll("\n", "⏎")}`,
  );

describe("Markdown", () => {
  test("has headings of both kinds, paragraphs, items, rows and code, at their places", () => {
    const text =
      "Title\n=====\n\nA paragraph\nof two lines.\n\n## Second ##\n- one\n  goes on\n- two\n\n| a | b |\n| 1 | 2 |\n\n```js\n# no heading\n\n- no item\n```\nend";
    expect(shapes(text)).toEqual([
      "h1 Title",
      "prose A paragraph⏎of two lines.",
      "h2 Second",
      "prose - one⏎  goes on",
      "prose - two",
      "prose | a | b |",
      "prose | 1 | 2 |",
      "lines ```js⏎# no heading⏎⏎- no item⏎```",
      "prose end",
    ]);
  });

  test("with line ends of Windows has the same blocks", () => {
    expect(shapes("# One\r\n\r\nText.\r\n\r\n- item\r\n")).toEqual(["h1 One", "prose Text.", "prose - item"]);
  });

  test("takes its title from the front matter, else from the first heading, without marks", () => {
    expect(parseMarkdown("---\ntitle: 'Said: so'\n---\n# Other").title).toBe("Said: so");
    expect(parseMarkdown("text\n\n## Sub\n\n# The *main* [one](http://x) `here`").title).toBe(
      "The main one here",
    );
    expect(parseMarkdown("no heading").title).toBe("");
  });

  test("has tags and times in its front matter, in any usual form, and the rest as metadata", () => {
    const forms = [
      "tags: [A, b]",
      "tags:\n  - A\n  - '#b'",
      "tags: A, b",
      "keywords: A,b",
      'tags: ["A", "b", "a"]',
    ];
    for (const form of forms) expect(parseMarkdown(`---\n${form}\n---\nx`).tags).toEqual(["a", "b"]);
    const note = parseMarkdown(
      "---\ndate: 2024-02-03T04:05:06Z\nauthor: Ann\nrating: 5\nnested: {a: [1]}\n---\nx",
    );
    expect(note.documentAt).toBe(Date.UTC(2024, 1, 3, 4, 5, 6));
    expect(note.metadata).toMatchObject({ author: "Ann", rating: 5, nested: { a: [1] } });
  });

  test("whose front matter nests without end, or holds itself, is read all the same, and at once", () => {
    for (const evil of ["[", "{", "- ", "? ", "a: ", "&a ", '"', "[a,"]) {
      const { text, metadata } = parseMarkdown(
        `---\nkey: ${evil.repeat(60_000 / evil.length)}\n---\n\nWords.`,
      );
      expect([text.endsWith("Words."), metadata]).toEqual([true, {}]);
    }
    expect(parseMarkdown("---\nkey: &a [*a]\n---\n\nWords.").metadata).toEqual({});
    expect(parseMarkdown("---\nkey: {a: [[1, {b: 2}]]}\n---\n\nWords.").metadata).toEqual({
      key: { a: [[1, { b: 2 }]] },
    });
  });

  test("whose front matter is no YAML, or asks for too much, is read all the same", () => {
    const bomb = `---\na: &a [x,x,x,x,x,x,x,x,x]\n${[..."bcdefghi"].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcdefgh"[at]}`).join(",")}]`).join("\n")}\n---\ntext`;
    for (const source of [
      "---\n: : [\n---\ntext",
      "---\nnever closed\n\ntext",
      bomb,
      "---\n- a\n- b\n---\ntext",
    ])
      expect(parseMarkdown(source).text).toContain("text");
    expect(JSON.stringify(parseMarkdown(bomb).metadata).length).toBeLessThan(10_000);
  });
});

test("a note of Obsidian has tags and links of its text, but none of its code", () => {
  const note = parseObsidian(
    "---\ntags: [front]\naliases: [Other]\n---\n# Note\n\nAbout #Inline/nested and [[Some Note|shown]], ![[Picture.png]] [[Deep#Part]].\nNot #123.\n\n```\n#code [[no]]\n```\n",
  );
  expect(note.type).toBe("note");
  expect(note.tags).toEqual(["front", "inline/nested"]);
  expect(note.metadata).toEqual({ aliases: ["Other"], links: ["Some Note", "Picture.png", "Deep"] });
});
