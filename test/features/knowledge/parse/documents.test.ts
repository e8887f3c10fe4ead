import { expect, test } from "vitest";
import { makePdf } from "../../../support/make-pdf.ts";
import { makeZip } from "../../../support/make-zip.ts";
import { readFixture, readOne } from "../../../support/read-fixture.ts";

const shown = ({ passages }: { readonly passages: readonly { readonly text: string }[] }) =>
  passages.map(({ text }) => text).join("\n---\n");

test("HTML is what a reader sees, by headings, paragraphs, items and rows", async () => {
  const html = `<!doctype html><html><head><title>The page</title><meta name=keywords content="A, b"><meta name="date" content="2024-03-02"></head><body>
    <nav>Menu</nav><main><h1>Zoo</h1><p>About <b>badgers</b>,<br>and foxes.<p style="display:none">hidden<script>evil()</script>
    <ul><li>One</li><li>Two <i>more</i></li></ul><table><tr><th>Name<th>Age</tr><tr><td>Ann<td>7</tr></table><pre>a
  b</pre></main></body></html>`;
  const page = await readOne("p.html", html, "html");
  expect(page).toMatchObject({
    title: "The page",
    tags: ["a", "b"],
    documentAt: Date.parse("2024-03-02"),
    type: "html",
  });
  expect(shown(page)).toBe(
    "Zoo\n\nAbout badgers, and foxes.\n\n- One\n- Two more\nName | Age\nAnn | 7\na\n  b",
  );
  expect(page.passages[0]!.headings).toEqual(["Zoo"]);
});

test("a PDF is read page by page, with its title and time", async () => {
  const pdf = await readOne(
    "p.pdf",
    makePdf(["Badgers dig.\nThey are nocturnal.", "Foxes run."], { title: "Animals" }),
    "pdf",
  );
  expect(pdf).toMatchObject({ title: "Animals", type: "pdf", metadata: { pages: 2 } });
  expect(pdf.documentAt).toBe(Date.UTC(2023, 3, 5, 6, 7, 8));
  expect(shown(pdf)).toContain("Badgers dig.\nThey are nocturnal.");
  expect(shown(pdf)).toContain("Page 2\n\nFoxes run.");
});

test("a PDF without text, and one that is none, say so", async () => {
  const { end: scan } = await readFixture("scan.pdf", makePdf([""]), "pdf");
  expect(scan).toEqual({ kind: "failed", reason: "the PDF has no text: it may be a scan", lasting: true });
  const { end: none } = await readFixture("none.pdf", "hello", "pdf");
  expect(none).toMatchObject({ kind: "failed", reason: "it is not a PDF, or a broken one" });
});

test("a Word document has headings, lists, tables and properties", async () => {
  const paragraph = (text: string, properties = "") =>
    `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
  const body = [
    paragraph("Zoo &amp; more", '<w:pStyle w:val="Heading1"/>'),
    paragraph("About <![CDATA[badgers]]>."),
    paragraph("An item", "<w:numPr/>"),
    `<w:tbl><w:tr><w:tc>${paragraph("Name")}</w:tc><w:tc>${paragraph("Age")}</w:tc></w:tr></w:tbl>`,
  ];
  const docx = makeZip({
    "word/document.xml": `<?xml version="1.0"?><w:document><w:body>${body.join("")}</w:body></w:document>`,
    "docProps/core.xml":
      "<cp:coreProperties><dc:title>Animals</dc:title><dc:creator>Ann</dc:creator><dcterms:modified>2024-01-02T03:04:05Z</dcterms:modified></cp:coreProperties>",
  });
  const document = await readOne("a.docx", docx, "docx");
  expect(document).toMatchObject({ title: "Animals", type: "docx", metadata: { author: "Ann" } });
  expect(shown(document)).toBe("Zoo & more\n\nAbout badgers.\n\n- An item\nName | Age");
  expect(document.passages[0]!.headings).toEqual(["Zoo & more"]);
  const { end } = await readFixture("b.docx", makeZip({ "other.txt": "x" }), "docx");
  expect(end).toMatchObject({ kind: "failed", reason: "it is not a Word document" });
});

test("rows of a table carry the names of their columns, whatever separates them", async () => {
  for (const [name, csv] of [
    ["a.csv", 'name,note\nAnn,"said ""hi"",\nthen left"\n\nBob,\n'],
    ["b.csv", 'name;note\r\nAnn;"said ""hi"",\r\nthen left"\r\nBob;\r\n'],
    ["c.tsv", 'name\tnote\nAnn\t"said ""hi"",\nthen left"\nBob\t\n'],
  ] as const) {
    const table = await readOne(name, csv, "csv");
    expect(shown(table)).toBe('name | note\nname: Ann | note: said "hi", then left\nname: Bob');
    expect(table.metadata).toEqual({ rows: 2, columns: ["name", "note"] });
  }
});

test("a text in any charset is read, and what is broken of it is marked", async () => {
  const read = async (bytes: Uint8Array) => shown(await readOne("a.txt", bytes, "text"));
  expect(await read(Buffer.from("\ufeffGrüße"))).toBe("Grüße");
  expect(await read(Buffer.from("\ufeffGrüße", "utf16le"))).toBe("Grüße");
  expect(await read(Buffer.from("Grüße aus Köln", "latin1"))).toBe("Grüße aus Köln");
  const broken = Buffer.concat([Buffer.from("Grüße — äöü "), Buffer.from([0xff]), Buffer.from(" end")]);
  expect(await read(broken)).toBe("Grüße — äöü \ufffd end");
  const { end } = await readFixture("a.txt", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]), "text");
  expect(end).toMatchObject({ kind: "failed", reason: "it is not a text file" });
});

test("a program is found by what it declares", async () => {
  const code = await readOne(
    "a.ts",
    `import x from "x";\n\nexport async function badger(a: number) {\n  return a;\n}\n`,
    "code",
  );
  expect(code).toMatchObject({ title: "a", type: "code", metadata: { language: "ts" } });
  expect(code.passages.map(({ headings }) => headings)).toEqual([[]]);
  expect(shown(code)).toContain("export async function badger");
});
