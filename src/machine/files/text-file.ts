import { err, ok, type Result } from "../../lib/result.ts";

/** The text of a file and everything needed to write it back in the same format. */
export interface TextFile {
  /** Lines end in `\n`, whatever they end in on disk, unless the file mixes both. */
  readonly text: string;
  readonly bom: boolean;
  readonly crlf: boolean;
}

const BOM = "\uFEFF";

/** The error says why the bytes are no text. */
export function decodeText(bytes: Buffer): Result<TextFile, string> {
  if (looksBinary(bytes)) return err("it is a binary file");
  let decoded: string;
  try {
    decoded = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return err("it is not valid UTF-8");
  }
  const bom = decoded.startsWith(BOM);
  const raw = bom ? decoded.slice(1) : decoded;
  const crlf = raw.includes("\r\n") && !/(?<!\r)\n/.test(raw);
  return ok({ text: crlf ? raw.replaceAll("\r\n", "\n") : raw, bom, crlf });
}

export function encodeText(file: TextFile): Buffer {
  const body = file.crlf ? file.text.replaceAll("\n", "\r\n") : file.text;
  return Buffer.from(file.bom ? BOM + body : body);
}

/** A NUL byte near the beginning: no text has one, nearly every other format does. */
export function looksBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8192).includes(0);
}
