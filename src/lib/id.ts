import { randomUUID } from "node:crypto";

/** Makes a fresh id such as `agt_9f2c…`; the prefix names the noun. */
export type NewId = (prefix: string) => string;

/** 96 random bits in base32 (Crockford, lower case): unguessable enough for ids, readable in a terminal. */
export const randomId: NewId = (prefix) =>
  `${prefix}_${prefix === CALL ? timed(base32(randomBits())) : base32(randomBits())}`;

/** Of calls there are so many that the index of their ids must grow at its end: theirs begin with the time. */
const CALL = "call";
const TIME_CHARS = 9;

/** The first characters replaced by the milliseconds since 1970; the others stay random. */
function timed(id: string): string {
  const codes = Buffer.from(id, "latin1");
  for (let left = Date.now(), place = TIME_CHARS - 1; place >= 0; place--, left = Math.floor(left / 32)) {
    codes[place] = ALPHABET.charCodeAt(left % 32);
  }
  return codes.toString("latin1");
}

/** Taken from a UUID, of which Node makes many at once: asking for random bytes costs more than all else of an id. */
function randomBits(): Uint8Array {
  const uuid = randomUUID();
  // Between these parts are the few bits of a UUID that are always the same.
  return Buffer.from(uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(24), "hex");
}

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

function base32(bytes: Uint8Array): string {
  let bits = 0;
  let value = 0;
  let length = 0;
  // Not by adding up text: Node would keep every step of it for as long as the id is kept.
  const codes = Buffer.alloc(Math.ceil((bytes.length * 8) / 5));
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      codes[length++] = ALPHABET.charCodeAt((value >> bits) & 31);
    }
    value &= (1 << bits) - 1;
  }
  if (bits > 0) codes[length] = ALPHABET.charCodeAt((value << (5 - bits)) & 31);
  return codes.toString("latin1");
}
