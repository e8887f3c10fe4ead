import { decodeFile, storableText } from "../decode.ts";
import { type ParsedDocument, timeOf, titleOf, Unreadable } from "../parsed-document.ts";
import { TextBuilder } from "../text-builder.ts";
import { xmlEvents } from "./xml.ts";
import { bytesOf, type ZipEntry, zipEntries } from "./zip.ts";

/** The most bytes of a document, unpacked. */
const MAX_XML = 64 * 1024 * 1024;
const HEADING = /^(?:heading|titre|überschrift|berschrift|kop|rubrik)\s*([1-6])$/i;

/** The text of a Word document, with headings, lists and tables. Rejects with `Unreadable`. */
export async function parseDocx(bytes: Uint8Array): Promise<ParsedDocument> {
  const listed = await zipEntries(bytes.length, bytesOf(bytes));
  const entries = new Map(listed.map((entry) => [entry.name, entry]));
  const body = entries.get("word/document.xml");
  if (!body) throw new Unreadable("it is not a Word document");
  const out = new TextBuilder();
  writeBody(await textOf(body), out);
  const core = await coreOf(entries.get("docProps/core.xml"));
  const documentAt = timeOf(core.get("dcterms:modified") ?? core.get("dcterms:created"));
  const author = core.get("dc:creator");
  return {
    title: titleOf(core.get("dc:title") ?? ""),
    type: "docx",
    tags: [],
    ...(documentAt !== undefined && { documentAt }),
    metadata: author ? { author: titleOf(author) } : {},
    ...out.build(),
  };
}

function writeBody(xml: string, out: TextBuilder): void {
  let paragraph: string[] = [];
  let cells: string[] | undefined;
  let cell: string[] = [];
  let level: number | undefined;
  let isItem = false;
  let isText = false;
  for (const event of xmlEvents(xml)) {
    if (out.isFull) return;
    if (event.kind === "text") {
      if (isText) paragraph.push(event.text);
      continue;
    }
    const { name, attributes } = event;
    if (event.kind === "open") {
      if (name === "w:t") isText = !event.isEmpty;
      else if (name === "w:tab") paragraph.push("\t");
      else if (name === "w:br" || name === "w:cr") paragraph.push("\n");
      else if (name === "w:pStyle") level = levelOf(attributes()["w:val"]);
      else if (name === "w:numPr") isItem = true;
      else if (name === "w:tr") cells = [];
      else if (name === "w:tc") cell = [];
      continue;
    }
    if (name === "w:t") isText = false;
    else if (name === "w:p") {
      const text = storableText(paragraph.join("")).trim();
      if (cells) cell.push(text);
      else if (level !== undefined) out.heading(level, text);
      else if (isItem && text !== "") out.line(`- ${text}`);
      else out.paragraph(text);
      [paragraph, level, isItem] = [[], undefined, false];
    } else if (name === "w:tc") cells?.push(cell.join(" ").trim());
    else if (name === "w:tr") {
      out.line((cells ?? []).filter((one) => one !== "").join(" | "));
      cells = undefined;
    }
  }
}

/** `Heading1`, `Title`, and what other languages call them. */
function levelOf(style: string | undefined): number | undefined {
  if (style === undefined) return undefined;
  if (/^(title|titel)$/i.test(style)) return 1;
  const level = HEADING.exec(style)?.[1];
  return level === undefined ? undefined : Number(level);
}

async function coreOf(entry: ZipEntry | undefined): Promise<Map<string, string>> {
  const said = new Map<string, string>();
  if (!entry) return said;
  let current = "";
  for (const event of xmlEvents(await textOf(entry))) {
    if (event.kind === "open") current = event.name;
    else if (event.kind === "text" && event.text.trim() !== "") said.set(current, event.text.slice(0, 1_000));
  }
  return said;
}

async function textOf(entry: ZipEntry): Promise<string> {
  return decodeFile(await entry.read(MAX_XML));
}
