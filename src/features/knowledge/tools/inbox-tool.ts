import { output } from "../../../contract/define-tool.ts";
import type { Tool } from "../../../contract/tool.ts";
import { EVERYTHING } from "../access.ts";
import type { InboxInput, SyncOutcome } from "../contract.ts";
import { type KnowledgeToolsDeps, knowledgeTool } from "./knowledge-tool.ts";
import { syncedWithin } from "./synced-within.ts";

/** How long a call waits for its sync. The sync continues in the background. */
const WAIT_MS = 10_000;

interface Put extends InboxInput {
  readonly sync_immediately?: boolean;
}

/** `inbox_put`, with the parameters of version 003. */
export function inboxTool({ inbox, sync, reachOf, inboxWaitMs = WAIT_MS }: KnowledgeToolsDeps): Tool {
  return knowledgeTool<Put>({
    name: "inbox_put",
    title: "Put into the inbox",
    description: "Write content into the agent inbox",
    properties: {
      content: { type: "string" },
      title: { type: "string" },
      tags: { type: "array", items: { type: "string" } },
      metadata: { type: "object" },
      filename: { type: "string" },
      extension: { type: "string" },
      sync_immediately: { type: "boolean" },
    },
    required: ["content"],
    scope: "ingest",
    async run({ sync_immediately = false, ...input }, context) {
      const put = await inbox.put({ ...input, by: reachOf(context.caller).by });
      if (!sync_immediately)
        return output(`Put into the inbox as ${put.name}. It is found after the next sync.`, {
          name: put.name,
        });
      // The report covers the whole inbox, so the caller is not shown it.
      const ended = sync.sync({ source: put.source, access: EVERYTHING, waits: true });
      const reason = await syncedWithin(ended, inboxWaitMs, context).then(whyNot, () => FAILED);
      return output(
        reason === undefined
          ? `Put into the inbox as ${put.name}, and synced: search finds it now.`
          : `Put into the inbox as ${put.name}. ${reason} Do not put it there again.`,
        { name: put.name, synced: reason === undefined, ...(reason !== undefined && { reason }) },
      );
    },
  });
}

const FAILED = "It could not be synced now, and is found after the next sync.";

/** Undefined if it was synced. */
function whyNot(outcome: SyncOutcome | undefined): string | undefined {
  if (!outcome) return "Its sync waits for another or takes longer, and goes on: it is found after that.";
  return !outcome.skipped && outcome.sources.every(({ ok }) => ok) ? undefined : FAILED;
}
