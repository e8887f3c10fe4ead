import type { Caller } from "../../../contract/caller.ts";
import { type Definition, explainRefusal, toolOf } from "../../../contract/define-tool.ts";
import type { Tool, ToolContext } from "../../../contract/tool.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Inbox } from "../inbox.ts";
import type { Access, KnowledgeReader, KnowledgeSync } from "../knowledge.ts";
import type { Reach } from "../memory/spaces.ts";

export interface KnowledgeToolsDeps {
  readonly reader: KnowledgeReader;
  readonly sync: Pick<KnowledgeSync, "sync" | "status">;
  readonly inbox: Pick<Inbox, "put">;
  /** How long `inbox_put` waits for a sync. */
  readonly inboxWaitMs?: number;
  /** Tells what a caller may see, and which memories it uses. */
  readonly reachOf: (caller: Caller) => Reach;
  readonly clock: Clock;
}

/** Granted by a toolbox, also through `*`. */
export function knowledgeTool<Args extends object>(definition: Omit<Definition<Args>, "domain">): Tool {
  return toolOf<Args>(
    { ...definition, domain: "knowledge" },
    { origin: "native", floor: false, wildcard: true },
    explainRefusal,
  );
}

/** Applies the rules about files to documents that were read from them. */
export function withFileRules(access: Access, { files }: Pick<ToolContext, "files">): Access {
  if (!files) return access;
  return { ...access, isFileShown: ({ named, also }) => files.permits(named, also) };
}

export function iso(at: number): string {
  return new Date(at).toISOString();
}

export function rounded(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}
