import { createHash } from "node:crypto";
import { ToolkeepError } from "../../../contract/errors.ts";
import { MAX_RANKED } from "./searcher.ts";

/**
 * The rest of a ranking. The client sends it back, so that any process can continue. Documents that change meanwhile move
 * nothing: no entity comes twice, and none is left out.
 */
export interface Rest {
  /** The numbers of the entities, in order. */
  readonly entities: readonly number[];
  /** The revision of the index when they were ranked. */
  readonly revision: number;
  /** The remaining memories, four bytes of a hash each. */
  readonly memories: readonly number[];
}

const VERSION = 2;
const BINDING_BYTES = 6;
const MAX_CURSOR_CHARS = 8_000;
const MAX_MEMORIES = 50;

/** Binds a cursor to its query and to what the caller may see. */
export function writeCursor({ entities, revision, memories }: Rest, asked: string): string {
  const bytes: number[] = [VERSION, ...bindingOf(asked)];
  writeNumber(bytes, revision);
  writeNumber(bytes, entities.length);
  let before = 0;
  for (const no of entities) {
    writeNumber(bytes, zigzag(no - before));
    before = no;
  }
  writeNumber(bytes, memories.length);
  const rest = Buffer.alloc(memories.length * 4);
  for (const [at, hash] of memories.entries()) rest.writeUInt32LE(hash, at * 4);
  return Buffer.concat([Uint8Array.from(bytes), rest]).toString("base64url");
}

/** Throws BAD_REQUEST for an invalid cursor and for one of another query. */
export function readCursor(cursor: string, asked: string): Rest {
  const bytes = cursor.length > MAX_CURSOR_CHARS ? Buffer.alloc(0) : Buffer.from(cursor, "base64url");
  if (bytes.length < 1 + BINDING_BYTES || bytes[0] !== VERSION)
    throw invalid("it is not one that a search gave");
  if (!bytes.subarray(1, 1 + BINDING_BYTES).equals(bindingOf(asked)))
    throw invalid("it belongs to another query, or what you may see has changed");
  const reading = { bytes, at: 1 + BINDING_BYTES };
  const revision = readNumber(reading);
  const entities: number[] = [];
  const count = readNumber(reading);
  if (count > MAX_RANKED) throw invalid("it is not one that a search gave");
  for (let no = 0; entities.length < count; ) {
    no += unzigzag(readNumber(reading));
    entities.push(no);
  }
  const memories = readNumber(reading);
  if (memories > MAX_MEMORIES || reading.at + memories * 4 !== bytes.length)
    throw invalid("it is not one that a search gave");
  return {
    entities,
    revision,
    memories: Array.from({ length: memories }, (_, at) => bytes.readUInt32LE(reading.at + at * 4)),
  };
}

export function memoryHash(id: string): number {
  return createHash("sha256").update(id).digest().readUInt32LE(0);
}

function bindingOf(asked: string): Buffer {
  return createHash("sha256").update(asked).digest().subarray(0, BINDING_BYTES);
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function writeNumber(bytes: number[], value: number): void {
  let left = value;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
  bytes.push(left);
}

function readNumber(reading: { readonly bytes: Buffer; at: number }): number {
  let value = 0;
  for (let factor = 1; factor <= 2 ** 42; factor *= 0x80) {
    const byte = reading.bytes[reading.at++];
    if (byte === undefined) break;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
  }
  throw invalid("it is not one that a search gave");
}

function invalid(problem: string): ToolkeepError {
  return new ToolkeepError(
    "BAD_REQUEST",
    `This cursor cannot be used: ${problem}. Search again without a cursor.`,
  );
}
