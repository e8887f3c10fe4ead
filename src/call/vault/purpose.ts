import type { SealedKind } from "../../machine/db/reseal.ts";

/** What a sealed value of the store is for: it opens for nothing else. */
export const sealedFor = {
  secret: (name: string) => `secret-with-terms:${name}`,
  earlierSecrets: (name: string) => `secret-earlier:${name}`,
  server: (id: string) => `server:${id}`,
  /** Not to be taken for the server's sealed configuration. */
  serverAuth: (id: string) => `server-auth:${id}`,
  key: (_id: string) => "vault-key",
  auditKey: (_id: string) => "audit-key",
} satisfies Record<SealedKind, (key: string) => string>;

/** The purpose of a sealed value, by its kind. Those of features need no list: their kind and the id of their row say enough. */
export function purposeOf(kind: string, key: string): string {
  return kind in sealedFor ? sealedFor[kind as SealedKind](key) : `${kind}:${key}`;
}

/** Of secrets as they were sealed before they had bindings: the value alone. */
export function plainSecret(name: string): string {
  return `secret:${name}`;
}
