import { createHash } from "node:crypto";

const HASH_LENGTH = 6;

/** Lower-case letters, digits and `_`; every run of other characters becomes one `_`. */
export function sanitise(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9_]+/g, "_");
}

/**
 * The prefix of a server's tools, from the name that people gave it: `GitHub (work)` becomes `github_work`, `Föö` becomes `foo`. A name
 * without a Latin letter or digit becomes a short hash of itself.
 */
export function prefixOf(serverName: string): string {
  const plain = serverName.normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("ß", "ss");
  const prefix = sanitise(plain).replace(/^_+|_+$/g, "");
  return prefix === "" ? withHash("server", serverName, "server_".length + HASH_LENGTH) : prefix;
}

/** The name, cut where it must be, with a few characters that follow from `seed` in the place of its end. */
export function withHash(name: string, seed: string, maxLength: number): string {
  const hash = createHash("sha256").update(seed).digest("hex").slice(0, HASH_LENGTH);
  return `${name.slice(0, maxLength - HASH_LENGTH - 1)}_${hash}`;
}
