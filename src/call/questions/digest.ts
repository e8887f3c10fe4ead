import { createHash } from "node:crypto";
import { stableJson } from "../../lib/json.ts";

/** Equal calls of one agent have equal digests, whatever order their arguments were written in. */
export function questionDigest(agentId: string, tool: string, args: unknown): string {
  return createHash("sha256")
    .update(stableJson([agentId, tool, args]))
    .digest("hex");
}
