import type { CallStore } from "../../call/audit/call-store.ts";
import type { CallRecord } from "../../call/audit/contract.ts";
import type { Caller } from "../../contract/caller.ts";
import { defineGranted, failed, output } from "../../contract/define-native-tool.ts";
import type { JsonSchema, Tool, ToolContext, ToolSource } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { iso } from "../../lib/text/time-text.ts";

export interface HistoryDeps {
  readonly calls: Pick<CallStore, "list">;
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

interface HistoryMatches {
  readonly calls: readonly CallRecord[];
  readonly hasMore: boolean;
  /** How many calls were searched; not all if it is `MAX_SEARCHED`. */
  readonly searched: number;
}

const NAME = "search_history";
const CURRENT = "current";
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const MAX_OFFSET = 10_000;
/** How many calls a search reads in total, and per page. */
const MAX_SEARCHED = 20_000;
const PAGE = 1_000;
const MAX_ARGUMENTS = 400;
const MAX_ERROR = 300;

const TIME: JsonSchema = { type: "string", minLength: 4, maxLength: 40 };

/** Searches an agent's own past calls, never those of another agent. */
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
        maximum: MAX_LIMIT,
        description: `How many at most. Default ${DEFAULT_LIMIT}.`,
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
      const span = parseTimeSpan(args, deps.clock());
      if (!span.ok) return failed(span.error);
      const { offset = 0 } = args;
      const { calls, hasMore, searched } = await search(args, span.value, context, deps);
      const notes = [
        ...(hasMore ? [`(more: use offset ${offset + calls.length})`] : []),
        ...(searched >= MAX_SEARCHED
          ? [`(the newest ${MAX_SEARCHED} calls were searched; use since and until)`]
          : []),
      ];
      const text = [...calls.map(formatCall), ...notes].join("\n");
      return output(
        text === "" ? "None of your calls matches." : text,
        { calls: calls.map(toCallView), ...(hasMore && { next_offset: offset + calls.length }) },
        { labels: collectLabels(calls) },
      );
    },
  });
}

interface TimeSpan {
  readonly since?: number;
  readonly until: number;
}

async function search(
  { query = "", tool, conversation, limit = DEFAULT_LIMIT, offset = 0 }: Args,
  span: TimeSpan,
  { caller, signal }: ToolContext,
  { calls }: HistoryDeps,
): Promise<HistoryMatches> {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const filter = {
    limit: PAGE,
    agentId: caller.agentId,
    ...span,
    ...buildFilter(tool, conversation, caller),
  };
  const matches: CallRecord[] = [];
  let searched = 0;
  while (searched < MAX_SEARCHED && matches.length <= offset + limit) {
    signal.throwIfAborted();
    const page = await calls.list({ ...filter, offset: searched });
    searched += page.length;
    // Earlier searches contain the search words themselves and would only add noise.
    matches.push(...page.filter((call) => (tool === NAME || call.tool !== NAME) && hasWords(call, words)));
    if (page.length < PAGE) break;
  }
  return { calls: matches.slice(offset, offset + limit), hasMore: matches.length > offset + limit, searched };
}

function buildFilter(tool: string | undefined, conversation: string | undefined, caller: Caller) {
  return {
    ...(tool !== undefined && { tool }),
    ...(conversation !== undefined && {
      conversation: conversation === CURRENT ? caller.conversation : conversation,
    }),
  };
}

/** Ends at the present, so that calls recorded during the search do not shift its pages. */
function parseTimeSpan({ since, until }: Args, now: number): Result<TimeSpan, string> {
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

/** Arguments may repeat what a labelled conversation had read, so the labels apply to this result too. */
function collectLabels(calls: readonly CallRecord[]): readonly string[] {
  return [...new Set(calls.flatMap(({ labels }) => labels?.split(",") ?? []))];
}

function formatCall(call: CallRecord): string {
  const { at, tool, outcome, conversation, arguments: args, error } = toCallView(call);
  const reason = error === null ? "" : `: ${error}`;
  return `${at} ${tool} ${args} → ${outcome}${reason} (conversation ${conversation})`;
}

function toCallView({ id, startedAt, tool, requested, outcome, conversation, ...call }: CallRecord) {
  return {
    id,
    at: iso(startedAt),
    tool: tool ?? requested,
    arguments: shortenText(call.arguments, MAX_ARGUMENTS),
    outcome: outcome ?? "running",
    error: call.error === null ? null : shortenText(call.error, MAX_ERROR),
    duration_ms: call.durationMs,
    conversation,
  };
}

function shortenText(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}…`;
}
