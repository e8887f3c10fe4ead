import { describe, expect, test } from "vitest";
import { findPageLinks } from "../../../src/features/web/page-links.ts";
import { readWebPage, renderPage } from "../../../src/features/web/web-page.ts";
import { HTML_LIMITS, parseHtml } from "../../../src/machine/text/html/parse-html.ts";

const BASE = "https://site.test/";
const MEGABYTES = 2_000_000;
/** Far above what it takes, and not much more than a person notices. */
const PATIENCE_MS = 1_000;

function filled(piece: string, length = MEGABYTES): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}

const numbered = (piece: (index: number) => string, count: number) =>
  Array.from({ length: count }, (_, index) => piece(index)).join("");

/** The longest stretch of work in which nothing else could run, and what came out. */
async function converted(html: string) {
  const meter = busyMeter();
  const page = await readWebPage(html, BASE, new AbortController().signal);
  const markdown = await renderPage(page, { wholePage: false, maxChars: 500_000 });
  const links = findPageLinks(page, BASE);
  return { longestMs: await meter.stop(), markdown, links };
}

/** In time of this process, not of the clock: the machine may be busy with something else. */
function busyMeter() {
  let longest = 0;
  let isOver = false;
  let before = process.cpuUsage().user;
  const look = () => {
    const now = process.cpuUsage().user;
    longest = Math.max(longest, now - before);
    before = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  return {
    async stop(): Promise<number> {
      isOver = true;
      await new Promise((resolve) => setImmediate(resolve));
      look();
      return longest / 1_000;
    },
  };
}

describe("a page that was written to keep a parser busy leaves time for everything else:", () => {
  test.each([
    ["elements nested without end", filled("<div>")],
    ["lists nested without end", filled("<ul><li>x")],
    ["quotes nested without end", filled("<blockquote>x")],
    ["tables nested without end", filled("<table><tr><td>")],
    [
      "formatting that is never closed",
      `${numbered((index) => `<b a=${index}>`, 100_000)}${filled("<p>x", 1_000_000)}`,
    ],
    ["formatting that comes back in every block", numbered((index) => `<div><b a=${index}>x</div>`, 100_000)],
    ["what a table must not hold", `<table>${filled("<b>x</b>")}`],
    ["text that a table must not hold", `<table>${filled("x<tr>")}`],
    ["one tag with a million attributes", `<p ${numbered((index) => `a${index} `, 600_000)}>x`],
    ["a body with ever more attributes", numbered((index) => `<body a${index}=1>`, 200_000)],
    ["a million line ends", filled("x<br>")],
    ["a million links", filled('<a href="/x">y</a>')],
    ["a single line", filled("word ")],
    ["a single word", filled("x")],
    ["white space alone", filled(" ")],
    ["a script", `<script>${filled("var x = '<div>';")}</script>`],
    ["a comment that never ends", `<!--${filled("-")}`],
    ["entities", filled("&amp;&lt;&#x27;")],
    ["end tags of nothing", filled("</p></div></x>")],
    ["styles", filled('<p style="display:block;;;;; color: red">x')],
    ["cells without end", `<table><tr>${filled("<td>x")}</table>`],
    ["words in many elements of one line", `<p>${filled("<i>x</i> ")}`],
  ])("%s", async (_, html) => {
    const { longestMs, markdown, links } = await converted(html);
    expect(longestMs).toBeLessThan(PATIENCE_MS);
    expect(markdown.text.length).toBeLessThanOrEqual(500_000);
    expect(links.length).toBeLessThanOrEqual(20_000);
  });
});

test.each([
  ["so many characters", { chars: 1_000 }],
  ["so many elements", { nodes: 100 }],
  ["such a depth", { depth: 50 }],
])("of a page, only %s are read, and it says so", async (_, limit) => {
  const html = `<p>first${filled("<div><i>x</i>", 20_000)}`;
  const limits = { ...HTML_LIMITS, depth: 10_000, ...limit };
  const { document, isCut } = await parseHtml(html, new AbortController().signal, limits);
  expect(isCut).toBe(true);
  expect(document.childNodes.length).toBeGreaterThan(0);
  const whole = await parseHtml("<p>first", new AbortController().signal, limits);
  expect(whole.isCut).toBe(false);
});

test("reading a page ends when the call is cancelled", async () => {
  const stop = new AbortController();
  const reading = parseHtml(filled("<p>x</p>"), stop.signal);
  stop.abort(new Error("given up"));
  await expect(reading).rejects.toThrow("given up");
});

test("what came before the end of a cut page is there", async () => {
  const { markdown } = await converted(`<h1>First</h1>${filled("<div>")}`);
  expect(markdown).toEqual({ text: "# First", isCut: true });
});
