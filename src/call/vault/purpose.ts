/** What a sealed value of the store is for, by its kind: it opens for nothing else. */
export const sealedFor = {
  secret: (name: string) => `secret-with-terms:${name}`,
  earlierSecrets: (name: string) => `secret-earlier:${name}`,
  key: (_id: string) => "vault-key",
  auditKey: (_id: string) => "audit-key",
} as const;

/** The purpose of a sealed value, by its kind and the key of its row. See `sealedPurpose` for kinds that are not listed. */
export function purposeOf(kind: string, key: string): string {
  return Object.hasOwn(sealedFor, kind) ? sealedFor[kind as keyof typeof sealedFor](key) : `${kind}:${key}`;
}

/** The purpose of secrets that were sealed before there were bindings: only their value was sealed. */
export function plainSecret(name: string): string {
  return `secret:${name}`;
}
