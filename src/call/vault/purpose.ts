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

/** Of secrets as they were sealed before they had bindings: the value alone. */
export function plainSecret(name: string): string {
  return `secret:${name}`;
}
