import { hash } from "node:crypto";

/** The block size and the digest size of SHA-256, in bytes. */
const BLOCK = 64;
const DIGEST = 32;
/** Texts up to this many bytes are copied behind the key without a new buffer. */
const KEPT_BYTES = 16_384;

/**
 * Computes HMAC-SHA256 of texts with one key, in base64url. Gives the same as `createHmac` at half the cost, which
 * creates a native object for every code: most of the cost of a short text. Keeps the padded blocks derived from the
 * key, not the key itself.
 */
export function createHmacSha256(key: Uint8Array): (text: string) => string {
  const block = Buffer.alloc(BLOCK);
  block.set(key.length > BLOCK ? hash("sha256", key, "buffer") : key);
  // RFC 2104: H(key ^ opad, H(key ^ ipad, text)).
  const inner = Buffer.alloc(BLOCK + KEPT_BYTES);
  const outer = Buffer.alloc(BLOCK + DIGEST);
  for (let at = 0; at < BLOCK; at++) {
    inner[at] = block[at]! ^ 0x36;
    outer[at] = block[at]! ^ 0x5c;
  }
  block.fill(0);

  const within = (text: string): Uint8Array => {
    // A character takes three bytes at most.
    if (text.length * 3 > KEPT_BYTES)
      return Buffer.concat([inner.subarray(0, BLOCK), Buffer.from(text, "utf8")]);
    return inner.subarray(0, BLOCK + inner.write(text, BLOCK, "utf8"));
  };
  return (text) => {
    outer.write(hash("sha256", within(text), "binary"), BLOCK, "binary");
    return hash("sha256", outer, "base64url");
  };
}
