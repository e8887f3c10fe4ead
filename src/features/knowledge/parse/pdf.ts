import { isRecord } from "../../../lib/json.ts";
import { storableText } from "./decode.ts";
import { type ParsedDocument, timeOf, titleOf, Unreadable } from "./parsed-document.ts";
import { TextBuilder } from "./text-builder.ts";

const MAX_PAGES = 2_000;

/** The text of a PDF, page by page. Throws `Unreadable` for one that is none, is locked, or holds no text. */
export async function parsePdf(bytes: Uint8Array): Promise<ParsedDocument> {
  const { getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(new Uint8Array(bytes), QUIET).catch((error: unknown) => {
    throw new Unreadable(reasonOf(error));
  });
  try {
    const out = new TextBuilder();
    const pages = Math.min(document.numPages, MAX_PAGES);
    let hasText = false;
    for (let number = 1; number <= pages && !out.isFull; number++) {
      const page = await document.getPage(number);
      const paragraphs = paragraphsOf((await page.getTextContent()).items);
      page.cleanup();
      if (paragraphs.length === 0) continue;
      hasText = true;
      if (pages > 1) out.heading(1, `Page ${number}`);
      for (const paragraph of paragraphs) out.paragraph(storableText(paragraph));
    }
    if (!hasText) throw new Unreadable("the PDF has no text: it may be a scan");
    const info = infoOf(await document.getMetadata().catch(() => undefined));
    const documentAt = timeOf(pdfTime(info.ModDate ?? info.CreationDate));
    return {
      title: typeof info.Title === "string" ? titleOf(storableText(info.Title)) : "",
      type: "pdf",
      tags: [],
      ...(documentAt !== undefined && { documentAt }),
      metadata: {
        pages: document.numPages,
        ...(typeof info.Author === "string" &&
          info.Author !== "" && { author: titleOf(storableText(info.Author)) }),
      },
      ...out.build(),
    };
  } finally {
    await document.destroy();
  }
}

/** No script of it runs, nothing is drawn, nothing is fetched. */
const QUIET = {
  isEvalSupported: false,
  disableFontFace: true,
  useSystemFonts: false,
  disableAutoFetch: true,
  disableStream: true,
  stopAtErrors: false,
  verbosity: 0,
} as const;

/** Lines of one page; a gap that is larger than usual, or a shorter line, ends a paragraph. */
function paragraphsOf(items: readonly unknown[]): string[] {
  const paragraphs: string[] = [];
  let current = "";
  let lastY: number | undefined;
  let lastHeight = 0;
  for (const item of items) {
    if (!isRecord(item) || typeof item.str !== "string") continue;
    const transform = item.transform as readonly number[] | undefined;
    const y = transform?.[5];
    const height = typeof item.height === "number" && item.height > 0 ? item.height : lastHeight;
    const gap = lastY !== undefined && y !== undefined ? Math.abs(lastY - y) : 0;
    if (gap > Math.max(height, lastHeight) * 1.8 && current.trim() !== "") {
      paragraphs.push(tidy(current));
      current = "";
    }
    current += item.str;
    if (item.hasEOL === true) current += "\n";
    if (item.str.trim() !== "") [lastY, lastHeight] = [y ?? lastY, height];
  }
  if (current.trim() !== "") paragraphs.push(tidy(current));
  return paragraphs;
}

/** Words that were broken at the end of a line are whole again. */
function tidy(text: string): string {
  return text
    .replace(/(\p{Ll})-\n(?=\p{Ll})/gu, "$1")
    .replace(/[ \t]*\n[ \t]*/g, "\n")
    .replace(/[ \t]+/g, " ")
    .trim();
}

function infoOf(metadata: unknown): Record<string, unknown> {
  return isRecord(metadata) && isRecord(metadata.info) ? metadata.info : {};
}

/** `D:20240131120000+01'00'`. */
function pdfTime(value: unknown): string | undefined {
  const parts =
    typeof value === "string" ? /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?/.exec(value) : null;
  if (!parts) return undefined;
  const [, year, month = "01", day = "01", hour = "00", minute = "00", second = "00"] = parts;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
}

function reasonOf(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  if (name === "PasswordException") return "the PDF is locked with a password";
  return "it is not a PDF, or a broken one";
}
