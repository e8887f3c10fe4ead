import { randomUUID } from "node:crypto";

/** Makes a fresh id such as `agt_9f2c…`; the prefix names the noun. */
export type NewId = (prefix: string) => string;

/** 96 random bits in base32 (Crockford, lower case): unguessable enough for ids, readable in a terminal. */
export const randomId: NewId = (prefix) => {
  // Taken from a UUID, of which Node makes many at once: asking for random bytes costs more than all else of an id.
  const codes = randomCodes(randomUUID());
  if (prefix === CALL) putTime(codes, Date.now());
  // Not by adding up text: Node would keep every step of it for as long as the id is kept.
  return `${prefix}_${String.fromCharCode(...codes)}`;
};

/** Of calls there are so many that the index of their ids must grow at its end: theirs begin with the time. */
const CALL = "call";
const TIME_CHARS = 9;

/** Replaces the first characters by the milliseconds since 1970; the others stay random. */
function putTime(codes: number[], now: number): void {
  for (let left = now, place = TIME_CHARS - 1; place >= 0; place--, left = Math.floor(left / 32)) {
    codes[place] = CODES[left % 32]!;
  }
}

const CODES = Array.from("0123456789abcdefghjkmnpqrstvwxyz", (character) => character.charCodeAt(0));
/** Where a UUID has what is random: between these parts are the few bits that are always the same. */
const RANDOM_DIGITS = [...range(0, 8), ...range(9, 13), ...range(24, 36)];
const BITS_A_DIGIT = 4;
const BITS_A_CHARACTER = 5;

function randomCodes(uuid: string): number[] {
  const codes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const at of RANDOM_DIGITS) {
    value = (value << BITS_A_DIGIT) | digitOf(uuid.charCodeAt(at));
    bits += BITS_A_DIGIT;
    if (bits < BITS_A_CHARACTER) continue;
    bits -= BITS_A_CHARACTER;
    codes.push(CODES[value >> bits]!);
    value &= (1 << bits) - 1;
  }
  codes.push(CODES[value << (BITS_A_CHARACTER - bits)]!);
  return codes;
}

/** Of a hexadecimal digit in lower case. */
function digitOf(code: number): number {
  return code < LETTER_A ? code - DIGIT_0 : code - LETTER_A + 10;
}

const DIGIT_0 = "0".charCodeAt(0);
const LETTER_A = "a".charCodeAt(0);

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
