import { randomBytes } from "node:crypto";

/** Makes a fresh id such as `agt_9f2c…`; the prefix names the noun. */
export type NewId = (prefix: string) => string;

/** 96 random bits in base32 (Crockford, lower case): unguessable enough for ids, readable in a terminal. */
export const randomId: NewId = (prefix) => `${prefix}_${base32(randomBytes(12))}`;

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

function base32(bytes: Uint8Array): string {
  let bits = 0;
  let value = 0;
  let text = "";
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(value >> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return bits > 0 ? text + ALPHABET[(value << (5 - bits)) & 31] : text;
}
