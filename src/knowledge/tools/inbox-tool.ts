import { output } from "../../define-tool.ts";
import type { Tool } from "../../tool.ts";
import { EVERYTHING } from "../access.ts";
import { type KnowledgeToolsDeps, knowledgeTool } from "./knowledge-tool.ts";

interface Put {
  readonly content: string;
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly filename?: string;
  readonly extension?: string;
  readonly sync_immediately?: boolean;
}

/** Putting something where it will be found: the tool of 003, with its parameters. */
export function inboxTool({ inbox, sync, reachOf }: KnowledgeToolsDeps): Tool {
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
    async run({ sync_immediately = false, ...input }, { caller }) {
      const put = await inbox.put({ ...input, by: reachOf(caller).by });
      if (!sync_immediately)
        return output(`Put into the inbox as ${put.name}. It is found after the next sync.`, {
          name: put.name,
        });
      // What it says of the inbox beside this is nobody's business here.
      const outcome = await sync.sync({ source: put.source, access: EVERYTHING, waits: true });
      const isDone = !outcome.skipped && outcome.sources.every(({ ok }) => ok);
      return output(
        isDone
          ? `Put into the inbox as ${put.name}, and synced: search finds it now.`
          : `Put into the inbox as ${put.name}. It could not be synced now, and is found after the next sync.`,
        { name: put.name, synced: isDone },
      );
    },
  });
}
