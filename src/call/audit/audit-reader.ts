import { cursorText, readCursor } from "../../contract/define-route.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import { OPERATOR } from "../identity/identity.ts";
import { stepsOf } from "./call-audit.ts";
import type { CallPlace, CallSearch, CallStore } from "./call-store.ts";
import type { AuditStore, EntryFilter, EntryPlace } from "./chain/audit-store.ts";
import type * as shapes from "./contract.ts";
import type { AuditEntry, CallRecord } from "./contract.ts";

export interface AuditReaderDeps {
  readonly calls: Pick<CallStore, "get" | "list" | "search">;
  readonly entries: Pick<AuditStore, "list" | "newestChains" | "read" | "tail">;
  readonly agents: {
    /** Throws NOT_FOUND for a name that no agent has. */
    id(name: string): string;
    name(id: string): string;
  };
}

const DEFAULT_LIMIT = 100;
/** How many calls the first look at the tail shows. */
const FIRST_CALLS = 10;
/** How many records of each chain one look at the tail reads. */
const MAX_RECORDS = 500;
/** Only the newest chains can have new records. */
const MAX_CHAINS = 50;
/** How many records one part of an export has. */
const EXPORTED_AT_ONCE = 500;

type Cursor = Readonly<Record<string, number>>;

/** The audit as people read it: agents by name instead of id. */
export class AuditReader {
  readonly #deps: AuditReaderDeps;

  constructor(deps: AuditReaderDeps) {
    this.#deps = deps;
  }

  /** Newest first. */
  async list({ limit = DEFAULT_LIMIT, agent, tool }: shapes.CallListQuery): Promise<shapes.CallList> {
    const { calls, agents } = this.#deps;
    const found = await calls.list({
      limit,
      ...(agent !== undefined && { agentId: agents.id(agent) }),
      ...(tool !== undefined && { tool }),
    });
    return { calls: found.map((call) => this.#callView(call)) };
  }

  async call(id: string): Promise<shapes.AuditedCall> {
    const call = await this.#deps.calls.get(id);
    if (!call) throw new ToolkeepError("NOT_FOUND", `There is no call ${id} in the audit.`);
    const [intent] = await this.#deps.entries.list({ limit: 1, kind: "intent", subject: id });
    return {
      call: this.#callView(call),
      intent: intent ? actionView(intent) : null,
      timeline: stepsOf(call),
    };
  }

  async calls(query: shapes.CallPageQuery): Promise<shapes.AuditPage> {
    const { calls, next } = await this.#deps.calls.search(this.#callSearch(query));
    return { calls: calls.map((call) => this.#callView(call)), next: next && cursorText(next) };
  }

  async actions(query: shapes.ActionPageQuery): Promise<shapes.ActionPage> {
    const search = actionSearch(query);
    const entries = await this.#deps.entries.list(search);
    const last = entries.length < search.limit ? undefined : entries.at(-1);
    const next = last ? cursorText({ at: last.at, chain: last.chain, seq: last.seq }) : null;
    return { actions: entries.map(actionView), next };
  }

  /**
   * The calls recorded since the cursor. Not by the time at which they began: a call that took long is recorded after
   * others that began later.
   */
  async tail({
    cursor,
    ...query
  }: shapes.CallQuery & { readonly cursor?: string }): Promise<shapes.AuditTail> {
    const { entries, calls } = this.#deps;
    const search = this.#callSearch(query);
    const places = cursor === undefined ? undefined : readCursor<Cursor>(cursor, {});
    const next: Record<string, number> = {};
    const recorded: CallRecord[] = [];
    for (const { id } of await entries.newestChains(MAX_CHAINS)) {
      const from = places?.[id];
      const since = typeof from === "number" ? from : 0;
      if (!places) next[id] = (await entries.tail(id))?.seq ?? 0;
      else {
        const read = await entries.read(id, since, MAX_RECORDS);
        recorded.push(...read.calls);
        next[id] = read.calls.at(-1)?.seq ?? since;
      }
    }
    const found = places
      ? recorded.filter((call) => fits(call, search)).sort((a, b) => a.startedAt - b.startedAt)
      : (await calls.search({ ...search, limit: FIRST_CALLS })).calls.toReversed();
    return { calls: found.map((call) => this.#callView(call)), cursor: cursorText(next) };
  }

  /** All calls, oldest first, a part at a time. */
  async *exportCalls(query: shapes.CallQuery): AsyncGenerator<readonly shapes.CallView[]> {
    const search = this.#callSearch({ ...query, order: "oldest", limit: EXPORTED_AT_ONCE });
    for (let after = search.after; ; ) {
      const found = await this.#deps.calls.search({ ...search, after });
      yield found.calls.map((call) => this.#callView(call));
      if (!found.next) return;
      after = found.next;
    }
  }

  /** The same for what was done beside calls. */
  async *exportActions(query: shapes.ActionQuery): AsyncGenerator<readonly shapes.ActionView[]> {
    const search = actionSearch({ ...query, order: "oldest", limit: EXPORTED_AT_ONCE });
    for (let after = search.after; ; ) {
      const found = await this.#deps.entries.list({ ...search, after });
      yield found.map(actionView);
      const last = found.at(-1);
      if (!last || found.length < search.limit) return;
      after = last;
    }
  }

  #callSearch({ agent, cursor, limit = DEFAULT_LIMIT, ...rest }: shapes.CallPageQuery): CallSearch {
    return {
      ...rest,
      limit,
      ...(agent !== undefined && { agentId: this.#agentId(agent) }),
      ...(cursor !== undefined && {
        after: readCursor<CallPlace>(cursor, { startedAt: "number", id: "string" }),
      }),
    };
  }

  /** An agent that was deleted can be named by its id only. */
  #agentId(name: string): string {
    return name === OPERATOR || name.startsWith("agt_") ? name : this.#deps.agents.id(name);
  }

  #callView({ agentId, steps: _steps, ...call }: CallRecord): shapes.CallView {
    return { ...call, agent: this.#deps.agents.name(agentId) };
  }
}

function actionSearch({ cursor, limit = DEFAULT_LIMIT, ...rest }: shapes.ActionPageQuery): EntryFilter {
  const fields = { at: "number", chain: "string", seq: "number" };
  return { ...rest, limit, ...(cursor !== undefined && { after: readCursor<EntryPlace>(cursor, fields) }) };
}

function actionView({ details, ...entry }: AuditEntry): shapes.ActionView {
  return { ...entry, details: parsed(details) };
}

/** Details that somebody changed in the database may be no JSON; they are shown as they are. */
function parsed(details: string): unknown {
  try {
    return JSON.parse(details);
  } catch {
    return details;
  }
}

function fits(call: CallRecord, search: CallSearch): boolean {
  const { agentId, tool, outcome, decision, conversation, text, since, until } = search;
  const wanted = { agentId, tool, outcome, decision, conversation };
  const isWanted = Object.entries(wanted).every(
    ([field, value]) => value === undefined || call[field as keyof typeof wanted] === value,
  );
  const names = `${call.requested}\n${call.tool ?? ""}`.toLowerCase();
  return (
    isWanted &&
    (text === undefined || names.includes(text.toLowerCase())) &&
    call.startedAt >= (since ?? 0) &&
    call.startedAt <= (until ?? Number.POSITIVE_INFINITY)
  );
}
