import { createHash } from "node:crypto";

/** A UUID derived from the source and the key, so that it stays the same when the index is rebuilt. */
export function entityIdOf(sourceId: string, key: string): string {
  const bytes = createHash("sha256").update(sourceId).update("\0").update(key).digest().subarray(0, 16);
  // Version 8, whose bits are free to choose, and the variant of all UUIDs.
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
