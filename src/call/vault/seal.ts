import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { ToolkeepError } from "../../contract/errors.ts";

/** Sealed bytes are: version, nonce, tag, ciphertext. */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/** Encrypts with AES-256-GCM and a fresh nonce. The purpose is authenticated together with the value. */
export function seal(plain: string, purpose: string, key: Buffer): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(context(purpose));
  const ciphertext = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return new Uint8Array(Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ciphertext]));
}

/** Throws SECRET_UNREADABLE for another key, another purpose or altered bytes. */
export function unseal(sealed: Uint8Array, purpose: string, key: Buffer): string {
  if (sealed.length < HEADER_BYTES || sealed[0] !== VERSION) {
    throw unreadable(purpose, `it is not a value sealed in format ${VERSION}`);
  }
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(context(purpose));
  decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  try {
    const plain = Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES)), decipher.final()]);
    return plain.toString("utf8");
  } catch {
    throw unreadable(purpose, "it was sealed with another key or for another purpose, or has been altered");
  }
}

function context(purpose: string): Buffer {
  return Buffer.from(`toolkeep:${VERSION}:${purpose}`, "utf8");
}

function unreadable(purpose: string, why: string): ToolkeepError {
  return new ToolkeepError("SECRET_UNREADABLE", `The sealed value of ${purpose} cannot be read: ${why}.`);
}
