import { createHmac, hash, randomBytes } from "node:crypto";

const TOKEN_PREFIX = "tk_sk_";
const CODE_PREFIX = "tk_ac_";
const REFRESH_PREFIX = "tk_rt_";

/** A fresh bearer token: the prefix and 256 random bits. Shown once; only its hash is stored. */
export function newToken(): string {
  return TOKEN_PREFIX + newSecret();
}

/** A code that a client exchanges for its first tokens, once within a minute. */
export function newCode(): string {
  return CODE_PREFIX + newSecret();
}

/**
 * The tokens that a code or refresh token is exchanged for: as random as the key and the salt, which only the store
 * has, and the same each time.
 */
export function tokensFor(key: string, salt: string): { readonly access: string; readonly refresh: string } {
  const derive = (what: string) => createHmac("sha256", salt).update(`${what} ${key}`).digest("base64url");
  return { access: TOKEN_PREFIX + derive("access"), refresh: REFRESH_PREFIX + derive("refresh") };
}

/** Whether a text has the form of a token; it need not have been issued. */
export function looksLikeToken(text: string): boolean {
  return /^tk_sk_[\w-]{43}$/.test(text);
}

export function hashToken(token: string): string {
  return hash("sha256", token, "hex");
}

/** The token of an `Authorization` header; undefined when there is none or it is of another kind. */
export function bearerToken(header: string | undefined): string | undefined {
  const match = /^bearer[ ]+([^\s]+)$/i.exec(header ?? "");
  return match?.[1];
}

/** 256 random bits. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}
