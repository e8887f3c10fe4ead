import { type Kysely, sql } from "kysely";
import { type Database, mustAffect } from "../../database.ts";
import { insertUnlessFull } from "../../query/bounded-insert.ts";
import { bounded } from "../../query/page.ts";
import { changeRevised } from "../../query/revised.ts";
import { rowCodec } from "../../query/row.ts";
import type { Schema } from "../../schema.ts";
import type { TicketCommentRecord, TicketFilter, TicketRecord, TicketStore } from "./project-record.ts";

export function ticketStore(database: Database): TicketStore {
  return {
    async list({ limit: wanted, offset: from, ...filter }) {
      const { limit, offset } = bounded({ limit: wanted, offset: from });
      const [rows, { total }] = await Promise.all([
        database.query((db) =>
          matching(db, filter)
            .selectAll()
            .orderBy("createdAt", "desc")
            .orderBy("number", "desc")
            .orderBy("id", "desc")
            .limit(limit)
            .offset(offset)
            .execute(),
        ),
        database.query((db) =>
          matching(db, filter)
            .select((select) => select.fn.countAll<number>().as("total"))
            .executeTakeFirstOrThrow(),
        ),
      ]);
      return { items: rows.map(tickets.toRecord), total };
    },

    async get(id) {
      const row = await database.query((db) =>
        db.selectFrom("tickets").selectAll().where("id", "=", id).executeTakeFirst(),
      );
      return row && tickets.toRecord(row);
    },

    async byNumber(projectId, number) {
      const row = await database.query((db) =>
        db
          .selectFrom("tickets")
          .selectAll()
          .where("projectId", "=", projectId)
          .where("number", "=", number)
          .executeTakeFirst(),
      );
      return row && tickets.toRecord(row);
    },

    async create(ticket, most = Number.POSITIVE_INFINITY) {
      let numbered: TicketRecord | undefined;
      const place = { table: "tickets", of: { column: "projectId", id: ticket.projectId } } as const;
      await insertUnlessFull(database, place, most, async (db) => {
        const project = await db
          .updateTable("projects")
          .set({ lastNumber: sql`last_number + 1` })
          .where("id", "=", ticket.projectId)
          .returning("lastNumber")
          .executeTakeFirst();
        mustAffect(project ? 1n : 0n, `project ${ticket.projectId}`);
        numbered = { ...ticket, number: project!.lastNumber };
        await db.insertInto("tickets").values(tickets.toRow(numbered)).execute();
      });
      return numbered;
    },

    async update(id, change, revision) {
      const row = await changeRevised(database, "tickets", id, tickets.toChange(change), revision);
      return row && tickets.toRecord(row);
    },

    async delete(id) {
      const { numDeletedRows } = await database.query((db) =>
        db.deleteFrom("tickets").where("id", "=", id).executeTakeFirst(),
      );
      mustAffect(numDeletedRows, `ticket ${id}`);
    },

    async counts(projectIds) {
      if (projectIds.length === 0) return [];
      const rows = await database.query((db) =>
        db
          .selectFrom("tickets")
          .select((select) => ["projectId", "status", select.fn.countAll<number>().as("count")])
          .where("projectId", "in", projectIds)
          .groupBy(["projectId", "status"])
          .execute(),
      );
      return rows as { projectId: string; status: TicketRecord["status"]; count: number }[];
    },

    async comments(ticketId, page) {
      const { limit, offset } = bounded(page);
      const ofTicket = (db: Kysely<Schema>) =>
        db.selectFrom("ticketComments").where("ticketId", "=", ticketId);
      const [rows, { total }] = await Promise.all([
        database.query((db) =>
          ofTicket(db).selectAll().orderBy("createdAt").orderBy("id").limit(limit).offset(offset).execute(),
        ),
        database.query((db) =>
          ofTicket(db)
            .select((select) => select.fn.countAll<number>().as("total"))
            .executeTakeFirstOrThrow(),
        ),
      ]);
      return { items: rows.map(comments.toRecord), total };
    },

    comment: (comment, most = Number.POSITIVE_INFINITY) =>
      insertUnlessFull(
        database,
        { table: "ticketComments", of: { column: "ticketId", id: comment.ticketId } },
        most,
        (db) => db.insertInto("ticketComments").values(comments.toRow(comment)).execute(),
      ),

    async deleteComment(ticketId, id) {
      const { numDeletedRows } = await database.query((db) =>
        db
          .deleteFrom("ticketComments")
          .where("ticketId", "=", ticketId)
          .where("id", "=", id)
          .executeTakeFirst(),
      );
      mustAffect(numDeletedRows, `comment ${id}`);
    },

    async commentCounts(ticketIds) {
      if (ticketIds.length === 0) return new Map();
      const rows = await database.query((db) =>
        db
          .selectFrom("ticketComments")
          .select((select) => ["ticketId", select.fn.countAll<number>().as("count")])
          .where("ticketId", "in", ticketIds)
          .groupBy("ticketId")
          .execute(),
      );
      return new Map(rows.map((row) => [row.ticketId, row.count]));
    },
  };
}

const tickets = rowCodec<TicketRecord, "tickets">("tickets");
const comments = rowCodec<TicketCommentRecord, "ticketComments">("ticketComments");

function matching(
  db: Kysely<Schema>,
  { projectId, statuses, priority, assigneeId, label, words = [] }: Omit<TicketFilter, "limit" | "offset">,
) {
  let query = db.selectFrom("tickets");
  if (projectId !== undefined) query = query.where("projectId", "=", projectId);
  if (statuses) query = query.where("status", "in", statuses);
  if (priority !== undefined) query = query.where("priority", "=", priority);
  if (assigneeId === null) query = query.where("assigneeId", "is", null);
  else if (assigneeId !== undefined) query = query.where("assigneeId", "=", assigneeId);
  // A list of labels is kept as JSON, in which each stands between quotes.
  if (label !== undefined) query = query.where(contains("labels", JSON.stringify(label)));
  for (const word of words)
    query = query.where((where) =>
      where.or(spellings(word).flatMap((text) => [contains("title", text), contains("description", text)])),
    );
  return query;
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
