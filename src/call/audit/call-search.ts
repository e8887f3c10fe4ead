import { sql } from "kysely";
import { createPace } from "../../lib/flow/pace.ts";
import type { Database } from "../../machine/db/database.ts";
import { CALL_LIST_LIMIT } from "../../machine/db/query/limits.ts";
import type { CallPage, CallPlace, CallSearch } from "./call-store.ts";
import type { AuditRows } from "./tables.ts";

/** So many rows are looked at in one statement, which takes a few milliseconds. */
const WINDOW = 1_000;
/** So many statements a page may take: beyond that it ends where it is, and says how to read on. */
const WINDOWS = 100;

/** What a row is judged by. */
interface Looked {
  readonly id: string;
  readonly startedAt: number;
  readonly agentId: string;
  readonly tool: string | null;
  readonly requested: string;
  readonly outcome: string | null;
  readonly decision: string | null;
  readonly conversation: string;
}

/**
 * A page of what is sought. One condition leads along its index; the others are compared here, window by window: a
 * million rows of which none fits would keep a database that answers in this process busy for seconds.
 */
export async function searchCalls(
  database: Pick<Database, "rows">,
  search: CallSearch,
  full: (ids: readonly string[]) => Promise<AuditRows["calls"][]>,
): Promise<{ rows: AuditRows["calls"][]; next: CallPage["next"] }> {
  const limit = Math.min(Math.max(1, Math.trunc(search.limit)), CALL_LIST_LIMIT);
  const [leading, ...others] = conditionsOf(search);
  const fits = fitting(search);
  const size = others.length > 0 || search.text !== undefined ? WINDOW : limit;
  const found: Looked[] = [];
  const pace = createPace();
  let place = search.after;
  let isOver = false;
  for (let window = 0; window < WINDOWS && found.length < limit && !isOver; window++) {
    const looked = await database.rows<Looked>(windowOf(search, leading, place, size));
    isOver = looked.length < size;
    for (const row of looked) {
      if (found.length >= limit) {
        isOver = false;
        break;
      }
      place = { startedAt: row.startedAt, id: row.id };
      if (fits(row)) found.push(row);
    }
    await pace();
  }
  const rows = new Map((await full(found.map(({ id }) => id))).map((row) => [row.id, row]));
  // One that was removed meanwhile for its age is left out.
  return {
    rows: found.flatMap(({ id }) => rows.get(id) ?? []),
    next: isOver ? null : (place ?? null),
  };
}

type Condition = readonly [column: string, value: string];

/** Those that fewest rows fit first. */
function conditionsOf({ conversation, decision, outcome, tool, agentId }: CallSearch): Condition[] {
  const all = { conversation, decision, outcome, tool, agent_id: agentId };
  const given = Object.entries(all).filter((each): each is [string, string] => each[1] !== undefined);
  return [...given.filter((each) => !isUsual(each)), ...given.filter(isUsual)];
}

/** Of which there is no index: nearly every row has it. */
const USUAL: Readonly<Record<string, string>> = { decision: "allow", outcome: "ok" };

function isUsual([column, value]: Condition): boolean {
  return USUAL[column] === value;
}

function fitting({ conversation, decision, outcome, tool, agentId, text }: CallSearch) {
  const is = (wanted: string | undefined, value: string | null) => wanted === undefined || wanted === value;
  const words = text?.toLowerCase();
  const named = (row: Looked) =>
    words === undefined ||
    row.requested.toLowerCase().includes(words) ||
    (row.tool?.toLowerCase().includes(words) ?? false);
  return (row: Looked) =>
    is(conversation, row.conversation) &&
    is(decision, row.decision) &&
    is(outcome, row.outcome) &&
    is(tool, row.tool) &&
    is(agentId, row.agentId) &&
    named(row);
}

function windowOf(
  { since, until, order = "newest" }: CallSearch,
  leading: Condition | undefined,
  place: CallPlace | undefined,
  size: number,
) {
  const isNewest = order === "newest";
  const where = [sql`1 = 1`];
  if (leading) {
    const [column, value] = leading;
    where.push(sql`${sql.ref(column)} = ${value}`);
    // As the index is defined, or it would not be used.
    const usual = USUAL[column];
    if (usual !== undefined && usual !== value) where.push(sql`${sql.ref(column)} != ${sql.lit(usual)}`);
  }
  if (since !== undefined) where.push(sql`started_at >= ${since}`);
  if (until !== undefined) where.push(sql`started_at <= ${until}`);
  if (place && isNewest)
    where.push(
      sql`started_at <= ${place.startedAt} and (started_at < ${place.startedAt} or id < ${place.id})`,
    );
  if (place && !isNewest)
    where.push(
      sql`started_at >= ${place.startedAt} and (started_at > ${place.startedAt} or id > ${place.id})`,
    );
  const direction = sql.raw(isNewest ? "desc" : "asc");
  return sql<Looked>`
    select id, started_at as "startedAt", agent_id as "agentId", tool, requested, outcome, decision, conversation
    from calls where ${sql.join(where, sql` and `)}
    order by started_at ${direction}, id ${direction} limit ${size}`;
}
