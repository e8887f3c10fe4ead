import { defineGranted, failed, output } from "../../contract/define-native-tool.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import { iso } from "../../lib/text/time-text.ts";
import type { MessageRecord, Store } from "../../machine/db/store.ts";
import { agentNameOf, type SubAgentDeps, subAgent } from "./sub-agents.ts";

export interface ReportDeps extends SubAgentDeps {
  readonly store: Pick<Store, "messages">;
  readonly clock: Clock;
}

interface Args {
  readonly agent?: string;
  readonly include_read?: boolean;
  readonly limit?: number;
}

const DEFAULT = 20;
const MOST = 100;
/** Whatever is marked as read is given whole: below what cuts an output. */
const MAX_CHARS = 30_000;

export function readReportsTool(deps: ReportDeps): Tool {
  return defineGranted<Args>({
    domain: "tasks",
    scope: "tools",
    name: "read_reports",
    title: "Read the reports of sub-agents",
    description:
      "Read what your sub-agents reported with report_to_parent, oldest first, and mark it as read. As long as there is more, call again.",
    properties: {
      agent: { type: "string", minLength: 1, maxLength: 64, description: "Only those of this sub-agent." },
      include_read: {
        type: "boolean",
        description: "Give the newest, read or not, and mark none. Default false.",
      },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: MOST,
        description: `How many at most. Default ${DEFAULT}.`,
      },
    },
    required: [],
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
