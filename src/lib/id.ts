import { randomFillSync } from "node:crypto";

/** Creates an id such as `agt_9f2c…`. The prefix names the noun. */
export type NewId = (prefix: string) => string;

/** 100 random bits in base32 (Crockford, lower case): unguessable enough for ids, readable in a terminal. */
export const randomId: NewId = (prefix) => {
  const codes = randomCodes();
  if (prefix === CALL) putTime(codes, Date.now());
  // Not by concatenation: Node would keep every intermediate text as long as the id.
  return `${prefix}_${String.fromCharCode(...codes)}`;
};

/**
 * There are so many calls that the index of their ids must grow at its end. Therefore their ids begin with the time.
 */
const CALL = "call";
const TIME_CHARS = 9;

/** Replaces the first characters with the milliseconds since 1970. The others stay random. */
function putTime(codes: number[], now: number): void {
  for (let left = now, place = TIME_CHARS - 1; place >= 0; place--, left = Math.floor(left / 32)) {
    codes[place] = CODES[left % 32]!;
  }
}

const CODES = Array.from("0123456789abcdefghjkmnpqrstvwxyz", (character) => character.charCodeAt(0));
const CHARACTERS = 20;

/**
 * Random bytes for many ids are requested at once, because the request costs more than the rest. Used bytes are
 * cleared.
 */
const random = new Uint8Array(256 * CHARACTERS);
let used = random.length;

function randomCodes(): number[] {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  const codes: number[] = [];
  for (let i = 0; i < CHARACTERS; i++, used++) {
    codes.push(CODES[random[used]! & 31]!);
    random[used] = 0;
  }
  return codes;
}
