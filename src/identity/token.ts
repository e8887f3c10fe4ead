import { createHash, randomBytes } from "node:crypto";

const TOKEN_PREFIX = "tk_sk_";

/** A fresh bearer token: the prefix and 256 random bits. Shown once; only its hash is kept. */
export function newToken(): string {
  return TOKEN_PREFIX + randomBytes(32).toString("base64url");
}

export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** The token of an `Authorization` header; undefined when there is none or it is of another kind. */
export function bearerToken(header: string | undefined): string | undefined {
  const match = /^bearer[ ]+([^\s]+)$/i.exec(header ?? "");
  return match?.[1];
}
