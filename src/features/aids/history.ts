import type { Caller } from "../../contract/caller.ts";
import { defineGranted, failed, output } from "../../contract/define-native-tool.ts";
import type { JsonSchema, Tool, ToolContext, ToolSource } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { iso } from "../../lib/text/time-text.ts";
import type { CallRecord, Store } from "../../machine/db/store.ts";

export interface HistoryDeps {
  readonly store: Pick<Store, "calls">;
  readonly clock: Clock;
}

interface Args {
  readonly query?: string;
  readonly tool?: string;
  readonly conversation?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
  readonly offset?: number;
}

interface Found {
  readonly calls: readonly CallRecord[];
  readonly hasMore: boolean;
  /** How many calls were looked at; not all where it is `MAX_LOOKED_AT`. */
  readonly lookedAt: number;
}

const NAME = "search_history";
const CURRENT = "current";
const DEFAULT = 20;
const MOST = 100;
const MAX_OFFSET = 10_000;
/** How many calls one search looks at, and how many at a time. */
const MAX_LOOKED_AT = 20_000;
const PAGE = 1_000;
const MAX_ARGUMENTS = 400;
const MAX_ERROR = 300;

const TIME: JsonSchema = { type: "string", minLength: 4, maxLength: 40 };

/** What an agent did before, from the record of its calls: never another agent's. */
export function createHistoryTools(deps: HistoryDeps): ToolSource {
  const tools = [searchTool(deps)];
  return { name: "history", tools: () => tools, onChange: () => () => {} };
}

function searchTool(deps: HistoryDeps): Tool {
  return defineGranted<Args>({
    domain: "history",
    scope: "tools",
    name: NAME,
    title: "Search the history of calls",
    description:
      "Search what you did in this and earlier conversations: which tools you called, when, with which arguments and with what outcome, newest first. What the tools answered is not kept. " +
      "Use it to go on where you stopped, or to see what you tried already.",
    properties: {
      query: {
        type: "string",
        minLength: 1,
        maxLength: 500,
        description: "Words that all have to be in the name, arguments or error of a call.",
      },
      tool: { type: "string", minLength: 1, maxLength: 64, description: "Only calls of this tool." },
      conversation: {
        type: "string",
        minLength: 1,
        maxLength: 200,
        description: `Only calls of this conversation, as results name it; "${CURRENT}" for this one.`,
      },
      since: {
        ...TIME,
        description: "Only calls at this time or later, such as 2026-11-16 or 2026-11-16T08:00Z.",
      },
      until: { ...TIME, description: "Only calls at this time or before." },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: MOST,
        description: `How many at most. Default ${DEFAULT}.`,
      },
      offset: {
        type: "integer",
        minimum: 0,
        maximum: MAX_OFFSET,
        description: "How many matches to leave out first, to read on. Default 0.",
      },
    },
    required: [],
    flags: { readOnly: true, concurrencySafe: true },
    async run(args, context) {
      const span = timeSpan(args, deps.clock());
      if (!span.ok) return failed(span.error);
      const { offset = 0 } = args;
      const { calls, hasMore, lookedAt } = await search(args, span.value, context, deps);
      const notes = [
        ...(hasMore ? [`(there is more; read on with offset ${offset + calls.length})`] : []),
        ...(lookedAt >= MAX_LOOKED_AT
          ? [`(the newest ${MAX_LOOKED_AT} calls were looked at; use since and until)`]
          : []),
      ];
      const text = [...calls.map(line), ...notes].join("\n");
      return output(
        text === "" ? "No call of yours matches." : text,
        { calls: calls.map(shownCall), ...(hasMore && { next_offset: offset + calls.length }) },
        { labels: labelsOf(calls) },
      );
    },
  });
}

interface Span {
  readonly since?: number;
  readonly until: number;
}

async function search(
  { query = "", tool, conversation, limit = DEFAULT, offset = 0 }: Args,
  span: Span,
  { caller, signal }: ToolContext,
  { store }: HistoryDeps,
): Promise<Found> {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const filter = { limit: PAGE, agentId: caller.agentId, ...span, ...narrowed(tool, conversation, caller) };
  const matches: CallRecord[] = [];
  let lookedAt = 0;
  while (lookedAt < MAX_LOOKED_AT && matches.length <= offset + limit) {
    signal.throwIfAborted();
    const page = await store.calls.list({ ...filter, offset: lookedAt });
    lookedAt += page.length;
    // Earlier searches hold the words that are searched for, and tell nothing.
    matches.push(...page.filter((call) => (tool === NAME || call.tool !== NAME) && hasWords(call, words)));
    if (page.length < PAGE) break;
  }
  return { calls: matches.slice(offset, offset + limit), hasMore: matches.length > offset + limit, lookedAt };
}

function narrowed(tool: string | undefined, conversation: string | undefined, caller: Caller) {
  return {
    ...(tool !== undefined && { tool }),
    ...(conversation !== undefined && {
      conversation: conversation === CURRENT ? caller.conversation : conversation,
    }),
  };
}

/** Never beyond now: what is recorded during the search must not move its pages. */
function timeSpan({ since, until }: Args, now: number): Result<Span, string> {
  const [from, to] = [since, until].map((time) => (time === undefined ? undefined : Date.parse(time)));
  if (Number.isNaN(from) || Number.isNaN(to))
    return err("Expected since and until as dates such as 2026-11-16 or 2026-11-16T08:00:00Z.");
  return ok({ ...(from !== undefined && { since: from }), until: Math.min(to ?? now, now) });
}

function hasWords(
  { requested, tool, arguments: args, error }: CallRecord,
  words: readonly string[],
): boolean {
  if (words.length === 0) return true;
  const text = [requested, tool, args, error].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

/** What a labelled conversation wrote into arguments is among what it read. */
function labelsOf(calls: readonly CallRecord[]): readonly string[] {
  return [...new Set(calls.flatMap(({ labels }) => labels?.split(",") ?? []))];
}

function line(call: CallRecord): string {
  const { at, tool, outcome, conversation, arguments: args, error } = shownCall(call);
  const why = error === null ? "" : `: ${error}`;
  return `${at} ${tool} ${args} → ${outcome}${why} (conversation ${conversation})`;
}

function shownCall({ id, startedAt, tool, requested, outcome, conversation, ...call }: CallRecord) {
  return {
    id,
    at: iso(startedAt),
    tool: tool ?? requested,
    arguments: shortened(call.arguments, MAX_ARGUMENTS),
    outcome: outcome ?? "under way",
    error: call.error === null ? null : shortened(call.error, MAX_ERROR),
    duration_ms: call.durationMs,
    conversation,
  };
}

function shortened(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}…`;
}
