/**
 * The text of an answer. A byte order mark counts most, then what the server says, then what the document says of
 * itself (`<meta charset>`, `<?xml encoding>`). Without any of them it is UTF-8 if it can be, else windows-1252.
 */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const label = markOf(bytes) ?? charsetIn(contentType) ?? charsetOfDocument(bytes);
  const named = label === undefined ? undefined : decoderFor(label);
  return named ? named.decode(bytes) : guessed(bytes);
}

function markOf(bytes: Uint8Array): string | undefined {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return a === 0xff && b === 0xfe ? "utf-16le" : undefined;
}

function charsetIn(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1];
}

const PROLOGUE = 4_096;

/** A document that can say it in ASCII is not in UTF-16, whatever it says. */
function charsetOfDocument(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, PROLOGUE)).toString("latin1");
  const label =
    /<meta\b[^>]{0,500}?\bcharset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(start)?.[1] ??
    /^\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]{1,40})/i.exec(start)?.[1];
  return label && /^utf-?16/i.test(label) ? "utf-8" : label;
}

/** Undefined for an unknown charset. */
function decoderFor(label: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

function guessed(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
