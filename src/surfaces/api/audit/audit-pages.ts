import { OPERATOR } from "../../../call/identity/identity.ts";
import { cursorText, readCursor } from "../../../contract/define-route.ts";
import type { OutcomeName } from "../../../contract/tool.ts";
import type { Hub } from "../../../hub.ts";
import type { AuditEntry, EntryFilter, EntryPlace } from "../../../machine/db/tables/calls/audit-record.ts";
import type { CallPlace, CallSearch } from "../../../machine/db/tables/calls/call-record.ts";
import type { ActionPage, ActionQuery, ActionView, AuditPage, CallQuery, PageOfAudit } from "../contract.ts";
import { callView } from "../views.ts";

const DEFAULT_LIMIT = 100;

/** What is asked for as the store understands it: agents by id. */
export function callSearch(hub: Hub, query: CallQuery & PageOfAudit): CallSearch {
  const { agent, outcome, cursor, limit = DEFAULT_LIMIT, ...rest } = query;
  return {
    ...rest,
    limit,
    ...(outcome !== undefined && { outcome: outcome as OutcomeName }),
    ...(agent !== undefined && { agentId: agentId(hub, agent) }),
    ...(cursor !== undefined && {
      after: readCursor<CallPlace>(cursor, { startedAt: "number", id: "string" }),
    }),
  };
}

/** Of an agent that is gone its id is all that is left. */
function agentId(hub: Hub, name: string): string {
  if (name === OPERATOR || name.startsWith("agt_")) return name;
  return hub.identity.agent(name).id;
}

export async function callsPage(hub: Hub, search: CallSearch): Promise<AuditPage> {
  const { calls, next } = await hub.store.calls.search(search);
  return { calls: calls.map((call) => callView(hub, call)), next: next && cursorText(next) };
}

export function actionSearch({
  cursor,
  limit = DEFAULT_LIMIT,
  ...rest
}: ActionQuery & PageOfAudit): EntryFilter {
  const fields = { at: "number", chain: "string", seq: "number" };
  return { ...rest, limit, ...(cursor !== undefined && { after: readCursor<EntryPlace>(cursor, fields) }) };
}

export async function actionsPage(hub: Hub, search: EntryFilter): Promise<ActionPage> {
  const entries = await hub.store.audit.list(search);
  const last = entries.length < search.limit ? undefined : entries.at(-1);
  const next = last ? cursorText({ at: last.at, chain: last.chain, seq: last.seq }) : null;
  return { actions: entries.map(actionView), next };
}

export function actionView({ details, ...entry }: AuditEntry): ActionView {
  return { ...entry, details: parsed(details) };
}

/** What somebody changed may be no JSON any more, and is shown all the same. */
function parsed(details: string): unknown {
  try {
    return JSON.parse(details);
  } catch {
    return details;
  }
}
