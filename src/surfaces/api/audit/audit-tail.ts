import { cursorText, readCursor } from "../../../contract/define-route.ts";
import type { Hub } from "../../../hub.ts";
import type { CallRecord, CallSearch } from "../../../machine/db/tables/calls/call-record.ts";
import type { AuditTail, CallQuery } from "../contract.ts";
import { callView } from "../views.ts";
import { callSearch } from "./audit-pages.ts";

/** What the first look shows. */
const FIRST = 10;
/** Of each chain at once. */
const MOST = 500;
/** Of homes that are gone there is nothing new. */
const CHAINS = 50;

type Places = Readonly<Record<string, number>>;

/**
 * What was recorded since the cursor. Not by the time at which calls began: one that took long is recorded after others
 * that began later.
 */
export async function tailOf(
  hub: Hub,
  { cursor, ...query }: CallQuery & { cursor?: string },
): Promise<AuditTail> {
  const search = callSearch(hub, query);
  const { audit, calls } = hub.store;
  const places = cursor === undefined ? undefined : readCursor<Places>(cursor, {});
  const next: Record<string, number> = {};
  const recorded: CallRecord[] = [];
  for (const { id } of await audit.newestChains(CHAINS)) {
    const from = places?.[id];
    const since = typeof from === "number" ? from : 0;
    if (!places) next[id] = (await audit.tail(id))?.seq ?? 0;
    else {
      const read = await audit.read(id, since, MOST);
      recorded.push(...read.calls);
      next[id] = read.calls.at(-1)?.seq ?? since;
    }
  }
  const shown = places
    ? recorded.filter((call) => fits(call, search)).sort((a, b) => a.startedAt - b.startedAt)
    : (await calls.search({ ...search, limit: FIRST })).calls.toReversed();
  return { calls: shown.map((call) => callView(hub, call)), cursor: cursorText(next) };
}

function fits(call: CallRecord, search: CallSearch): boolean {
  const { agentId, tool, outcome, decision, conversation, text, since, until } = search;
  const wanted = { agentId, tool, outcome, decision, conversation };
  const isWanted = Object.entries(wanted).every(
    ([field, value]) => value === undefined || call[field as keyof typeof wanted] === value,
  );
  const name = `${call.requested}\n${call.tool ?? ""}`.toLowerCase();
  return (
    isWanted &&
    (text === undefined || name.includes(text.toLowerCase())) &&
    call.startedAt >= (since ?? 0) &&
    call.startedAt <= (until ?? Number.POSITIVE_INFINITY)
  );
}
