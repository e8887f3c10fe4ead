import { z } from "zod";
import { failed, grantedTool, output } from "../../contract/define-native-tool.ts";
import { optional } from "../../contract/shape.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import { iso } from "../../lib/text/time-text.ts";
import type { MessageRecord } from "./contract.ts";
import { agentNameOf, type SubAgentDeps, subAgent } from "./sub-agents.ts";
import type { MessageTable } from "./tables.ts";

export interface ReportDeps extends SubAgentDeps {
  readonly store: { readonly messages: MessageTable };
  readonly clock: Clock;
}

const DEFAULT = 20;
const MOST = 100;
/** Whatever is marked as read is given whole: below what cuts an output. */
const MAX_CHARS = 30_000;

export function readReportsTool(deps: ReportDeps): Tool {
  return grantedTool({
    domain: "tasks",
    scope: "tools",
    name: "read_reports",
    title: "Read the reports of sub-agents",
    description:
      "Read what your sub-agents reported with report_to_parent, oldest first, and mark it as read. As long as there is more, call again.",
    input: z.object(
      optional({
        agent: z.string().min(1).max(64).describe("Only those of this sub-agent."),
        include_read: z.boolean().describe("Give the newest, read or not, and mark none. Default false."),
        limit: z.int().min(1).max(MOST).describe(`How many at most. Default ${DEFAULT}.`),
      }),
    ),
    async run({ agent: name, include_read = false, limit = DEFAULT }, { caller }) {
      const agent = name === undefined ? undefined : subAgent(name, caller, deps);
      if (agent && !agent.ok) return failed(agent.error);
      const messages = await deps.store.messages.list({ toAgentId: caller.agentId, unread: !include_read });
      const all = agent ? messages.filter(({ fromAgentId }) => fromAgentId === agent.value.id) : messages;
      const given = fitting(include_read ? all.slice(-limit) : all.slice(0, limit));
      if (!include_read)
        await deps.store.messages.markRead(
          given.map(({ id }) => id),
          deps.clock(),
        );
      const more = include_read ? 0 : all.length - given.length;
      const texts = given.map(
        ({ id, fromAgentId, createdAt, text }) =>
          `${id} from ${agentNameOf(deps, fromAgentId)}, ${iso(createdAt)}:\n${text}`,
      );
      const rest = more > 0 ? [`(${more} more unread; call again)`] : [];
      const reports = given.map(({ id, fromAgentId, text, createdAt }) => ({
        id,
        agent: agentNameOf(deps, fromAgentId),
        text,
        created_at: iso(createdAt),
      }));
      return output(
        [...texts, ...rest].join("\n\n") || "There is no report that you have not read.",
        { reports, unread: more },
        { gave: given.map(({ id }) => id) },
      );
    },
  });
}

/** The first that fit together; one at least. */
function fitting(messages: readonly MessageRecord[]): readonly MessageRecord[] {
  let chars = 0;
  const end = messages.findIndex(({ text }, index) => {
    chars += text.length;
    return index > 0 && chars > MAX_CHARS;
  });
  return end === -1 ? messages : messages.slice(0, end);
}
