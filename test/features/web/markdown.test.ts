import { describe, expect, test } from "vitest";
import { readWebPage, renderPage } from "../../../src/features/web/web-page.ts";

const BASE = "https://site.test/docs/page";

async function markdownOf(html: string, wholePage = true): Promise<string> {
  const page = await readWebPage(html, BASE, new AbortController().signal);
  return (await renderPage(page, { wholePage, maxChars: 100_000 })).text;
}

describe("HTML becomes Markdown:", () => {
  test.each([
    ["paragraphs", "<p>one\n  two</p><p>three", "one two\n\nthree"],
    ["headings", "<h1>A</h1><h3> B <em>c</em></h3>", "# A\n\n### B *c*"],
    ["emphasis, with its spaces outside", "<p>a<b> b </b>c <i>d</i> <del>e</del>", "a **b** c *d* ~~e~~"],
    ["line ends", "<p>one<br>two", "one\ntwo"],
    ["text between blocks", "<div>one<div>two</div>three</div>", "one\n\ntwo\n\nthree"],
    ["a list", "<ul><li>a<li>b</ul>", "- a\n- b"],
    ["a numbered list, from its start", '<ol start="3"><li>a<li>b</ol>', "3. a\n4. b"],
    ["lists in lists", "<ul><li>a<ol><li>b<li>c</ol><li>d</ul>", "- a\n  1. b\n  2. c\n- d"],
    ["paragraphs in a list", "<ul><li><p>a</p><p>b</p></ul>", "- a\n\n  b"],
    ["a quote", "<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"],
    ["code in a line", "<p>use <code>a | b</code> and <code>`</code>", "use `a | b` and `` ` ``"],
    [
      "a block of code, with its language and white space",
      '<pre><code class="language-ts">if (a) {\n  b();\n}\n</code></pre>',
      "```ts\nif (a) {\n  b();\n}\n```",
    ],
    ["code that holds a fence", "<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"],
    [
      "a table",
      "<table><caption>C</caption><tr><th>a<th>b<tr><td>1|2<td>x<br>y</table>",
      "**C**\n\n| a | b |\n| --- | --- |\n| 1\\|2 | x<br>y |",
    ],
    [
      "a table with cells over several columns",
      "<table><tr><th colspan=2>a<th>b<tr><td>1<td>2<td>3<tr><td>4</table>",
      "| a |  | b |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| 4 |  |  |",
    ],
    [
      "a table that only arranges the page",
      "<table><tr><td><h2>a</h2><p>b<td>c<tr><td>d<td>e</table>",
      "## a\n\nb\n\nc\n\nd\n\ne",
    ],
    ["links, absolute", '<p><a href="../x?a=1">t</a>', "[t](https://site.test/x?a=1)"],
    [
      "links by the base of the page",
      '<base href="/other/"><p><a href="x">t</a>',
      "[t](https://site.test/other/x)",
    ],
    ["links with parentheses", '<p><a href="/a_(b)">t</a>', "[t](https://site.test/a_%28b%29)"],
    ["no link to the page itself", '<p><a href="#x">t</a>', "t"],
    ["no link to a script", '<p><a href="javascript:alert(1)">t</a>', "t"],
    ["a link to a mailbox", '<p><a href="mailto:a@b.test">t</a>', "[t](mailto:a@b.test)"],
    ["a link around blocks", '<a href="/x"><h3>a</h3><p>b</p></a>', "[a b](https://site.test/x)"],
    [
      "images by their words",
      '<p><img src="i.png" alt="a cat"> <img src="j.png">',
      "![a cat](https://site.test/docs/i.png)",
    ],
    [
      "an image inside a link",
      '<p><a href="/x"><img src="/i" alt="a"></a>',
      "[![a](https://site.test/i)](https://site.test/x)",
    ],
    ["an image whose bytes are in the page", '<p><img src="data:image/png;base64,AAAA" alt="a">', "![a]"],
    ["a rule", "<p>a<hr><p>b", "a\n\n---\n\nb"],
    ["terms", "<dl><dt>a<dd>b</dl>", "**a**\n\nb"],
    ["entities", "<p>a &lt; b &amp;&nbsp;c", "a < b & c"],
    [
      "text that only looks like Markdown",
      "<p># a<p>- b<p>1. c<p>&gt; d",
      "\\# a\n\n\\- b\n\n1\\. c\n\n\\> d",
    ],
    ["blocks inside what is no block", "<span>a<p>b</p></span>", "a\n\nb"],
    [
      "nothing of scripts, styles and templates",
      "<style>a</style><p>b<script>c</script><template>d</template>",
      "b",
    ],
    [
      "nothing that is hidden",
      '<p hidden>a</p><p style="color:red;display: none">b</p><p aria-hidden=true>c</p><p>d',
      "d",
    ],
    [
      "nothing that is too faint or small to see",
      '<p style="opacity:0">a</p><p style="font-size: 0px;">b</p><p style="opacity:0.5">c',
      "c",
    ],
    ["no characters that nobody sees", "<p>a\u200b\u202eb\u{e0041}c\u0007", "abc"],
    ["an empty page", "", ""],
  ])("%s", async (_, html, markdown) => {
    expect(await markdownOf(html)).toBe(markdown);
  });
});

describe("the main part of a page", () => {
  const prose = "This sentence is about the subject of the page. ".repeat(10);

  test.each([
    [
      "is what is marked as main",
      `<nav>menu</nav><main><h1>T</h1><p>${prose}</main><footer>imprint</footer>`,
    ],
    [
      "is the only article",
      `<div>menu</div><article><header><h1>T</h1></header><p>${prose}</article><div>imprint</div>`,
    ],
    [
      "is the block with most of the prose",
      `<div><a href=/a>menu</a></div><div><h1>T</h1><p>${prose}</div><div>imprint</div>`,
    ],
    [
      "is without navigation and asides",
      `<main><nav>menu</nav><h1>T</h1><p>${prose}</p><aside>imprint</aside></main>`,
    ],
  ])("%s", async (_, html) => {
    expect(await markdownOf(html, false)).toBe(`# T\n\n${prose.trim()}`);
  });

  test("is the whole page where it holds hardly anything", async () => {
    const html = "<header>head</header><main><p>short</main><footer>foot</footer>";
    expect(await markdownOf(html, false)).toBe("head\n\nshort\n\nfoot");
  });
});

test("a page says its title, what it is about and where it leads", async () => {
  const html = `<title> The
    title </title><meta name=description content="About it"><meta http-equiv=Refresh content="0; url='/next'"><svg><title>no</title></svg>`;
  expect(await readWebPage(html, BASE, new AbortController().signal)).toMatchObject({
    title: "The title",
    description: "About it",
    refreshUrl: "https://site.test/next",
    isCut: false,
  });
});
