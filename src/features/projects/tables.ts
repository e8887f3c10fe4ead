import { type Kysely, sql } from "kysely";
import { defineTable, type RowOf } from "../../contract/define-table.ts";
import { type Database, mustAffect, withTables } from "../../machine/db/database.ts";
import { Records } from "../../machine/db/query/records.ts";
import * as shapes from "./contract.ts";
import { MAX_PROJECTS, type ProjectRecord, type TicketRecord, type TicketStatus } from "./contract.ts";

const projects = defineTable({ name: "projects", noun: "project", record: shapes.project });
const tickets = defineTable({ name: "tickets", noun: "ticket", record: shapes.ticket });
const comments = defineTable({ name: "ticketComments", noun: "comment", record: shapes.comment });
const notes = defineTable({ name: "projectNotes", noun: "note", record: shapes.note });

/** Each after those it refers to. */
export const TABLES = [projects, tickets, comments, notes];

interface Rows {
  projects: RowOf<typeof projects>;
  tickets: RowOf<typeof tickets>;
}

/** Projects and what belongs to them, as they are kept. */
export class ProjectTables {
  readonly projects: Records<typeof projects>;
  readonly tickets: Records<typeof tickets>;
  readonly comments: Records<typeof comments>;
  readonly notes: Records<typeof notes>;
  readonly #database: Database<Rows>;

  constructor(database: Database) {
    this.#database = withTables(database);
    this.projects = new Records(database, projects);
    this.tickets = new Records(database, tickets);
    this.comments = new Records(database, comments);
    this.notes = new Records(database, notes);
  }

  /** By key. */
  async allProjects(): Promise<readonly ProjectRecord[]> {
    return (await this.projects.page({}, ["key"], { limit: MAX_PROJECTS, offset: 0 })).items;
  }

  /** Gives it the next number of its project; undefined: the project has `most` already. */
  createTicket(ticket: Omit<TicketRecord, "number">, most?: number): Promise<TicketRecord | undefined> {
    const { projectId } = ticket;
    return this.tickets.insertMade(
      async (db) => ({ ...ticket, number: await nextNumber(db as unknown as Kysely<Rows>, projectId) }),
      { most, among: { projectId } },
    );
  }

  /** How many tickets of each status the projects have. */
  async ticketCounts(
    projectIds: readonly string[],
  ): Promise<readonly { projectId: string; status: TicketStatus; count: number }[]> {
    if (projectIds.length === 0) return [];
    return this.#database.query((db) =>
      db
        .selectFrom("tickets")
        .select((select) => ["projectId", "status", select.fn.countAll<number>().as("count")])
        .where("projectId", "in", projectIds)
        .groupBy(["projectId", "status"])
        .execute(),
    );
  }
}

/** Conditions on tickets beyond equal values. */
export function ticketConditions({
  statuses,
  label,
  words = [],
}: {
  readonly statuses?: readonly TicketStatus[];
  readonly label?: string;
  /** All of them occur in title or description, in whatever case. */
  readonly words?: readonly string[];
}) {
  return [
    ...(statuses ? [sql<boolean>`status in (${sql.join(statuses)})`] : []),
    // A list of labels is kept as JSON, in which each stands between quotes.
    ...(label === undefined ? [] : [contains("labels", JSON.stringify(label))]),
    ...words.map((word) =>
      anyOf(spellings(word).flatMap((text) => [contains("title", text), contains("description", text)])),
    ),
  ];
}

async function nextNumber(db: Kysely<Rows>, projectId: string): Promise<number> {
  const project = await db
    .updateTable("projects")
    .set({ lastNumber: sql`last_number + 1` })
    .where("id", "=", projectId)
    .returning("lastNumber")
    .executeTakeFirst();
  mustAffect(project ? 1n : 0n, `project ${projectId}`);
  return project!.lastNumber;
}

function anyOf(conditions: readonly ReturnType<typeof contains>[]) {
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`;
}

/** A word in the cases that it may be written in: beyond A to Z not every database knows small letters. */
function spellings(word: string): string[] {
  const lower = word.toLowerCase();
  const upper = word.toUpperCase();
  const [initial = ""] = upper;
  const capital = `${initial}${lower.slice(initial.length)}`;
  return [...new Set([lower, upper, capital, word].map(smallAscii))];
}

function smallAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Whether a column holds a text, with A to Z in whatever case. */
function contains(column: "title" | "description" | "labels", text: string) {
  const literal = smallAscii(text).replaceAll(/[\\%_]/g, "\\$&");
  return sql<boolean>`lower(${sql.ref(column)}) like ${`%${literal}%`} escape ${sql.lit("\\")}`;
}
