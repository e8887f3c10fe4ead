import { createHash } from "node:crypto";

const HASH_LENGTH = 6;

/** Lower-case letters, digits and `_`; every run of other characters becomes one `_`. */
export function sanitise(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9_]+/g, "_");
}

/**
 * Derives the prefix of a server's tools from its name: `GitHub (work)` becomes `github_work`, `Föö` becomes `foo`. A
 * name without Latin letters or digits becomes a short hash.
 */
export function prefixOf(serverName: string): string {
  const plain = serverName.normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("ß", "ss");
  const prefix = sanitise(plain).replace(/^_+|_+$/g, "");
  return prefix === "" ? withHash("server", serverName, "server_".length + HASH_LENGTH) : prefix;
}

/** Shortens the name if needed and replaces its end with characters derived from `seed`. */
export function withHash(name: string, seed: string, maxLength: number): string {
  const hash = createHash("sha256").update(seed).digest("hex").slice(0, HASH_LENGTH);
  return `${name.slice(0, maxLength - HASH_LENGTH - 1)}_${hash}`;
}
