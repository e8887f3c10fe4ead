/** A PDF with one page for each text; an empty text makes a page without any. */
export function makePdf(pages: readonly string[], { title = "" } = {}): Buffer {
  const objects: string[] = [];
  const kids = pages.map((_, at) => `${4 + at * 2} 0 R`).join(" ");
  objects.push("<< /Type /Catalog /Pages 2 0 R >>");
  objects.push(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  objects.push("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  for (const [at, page] of pages.entries()) {
    const lines = page === "" ? [] : page.split("\n");
    const shown = lines.map((line) => `(${line.replace(/[()\\]/g, "\\$&")}) Tj 0 -14 Td`).join("\n");
    const stream = `BT /F1 12 Tf 50 750 Td\n${shown}\nET`;
    const resources = "/Resources << /Font << /F1 3 0 R >> >>";
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] ${resources} /Contents ${5 + at * 2} 0 R >>`,
    );
    objects.push(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
  }
  objects.push(`<< /Title (${title}) /CreationDate (D:20230405060708Z) >>`);
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const xref = text.length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info ${objects.length} 0 R >>\nstartxref\n${xref}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}
