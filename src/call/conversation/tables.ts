import type { Transaction } from "kysely";
import { z } from "zod";
import { defineTable, type RowOf } from "../../contract/define-table.ts";
import { type Infer, time } from "../../contract/shape.ts";
import { type Database, withTables } from "../../machine/db/database.ts";
import { Records } from "../../machine/db/query/records.ts";
import { codecOf } from "../../machine/db/query/row.ts";

const storedActivation = z.object({
  id: z.string(),
  agentId: z.string(),
  conversation: z.string(),
  tool: z.string(),
  /** The token that the conversation came with; null: none. */
  tokenId: z.string().nullable(),
  /** When it was last called; before that, when it was found. */
  usedAt: time,
});

/** A deferred tool that a conversation has found or called, and has in its lists from then on. */
export type ActivationRecord = Omit<Infer<typeof storedActivation>, "id">;

/** The activations of an agent are deleted with it. */
export const activations = defineTable({
  name: "activations",
  noun: "activation",
  record: storedActivation,
});

interface Rows {
  activations: RowOf<typeof activations>;
}

const MAX_LISTED = 1_000;

export type ActivationTable = ReturnType<typeof activationTable>;

export function activationTable(kernel: Database) {
  const database = withTables<Rows>(kernel);
  const { toRow, toRecord } = codecOf(activations);
  return {
    /** Lists those of one conversation, least recently used first; at most 1,000. */
    async list(agentId: string, conversation: string): Promise<ActivationRecord[]> {
      const rows = await database.query((db) =>
        db
          .selectFrom("activations")
          .selectAll()
          .where("agentId", "=", agentId)
          .where("conversation", "=", conversation)
          .orderBy("usedAt", "desc")
          .orderBy("tool")
          .limit(MAX_LISTED)
          .execute(),
      );
      return rows
        .map(toRecord)
        .map(({ id: _, ...activation }) => activation)
        .reverse();
    },

    /** The conversation of the agent that used one last, not before `since`; with `tokenId`, of those that came with it. */
    async latest({
      agentId,
      tokenId,
      since = 0,
    }: {
      agentId: string;
      tokenId?: string;
      since?: number;
    }): Promise<string | undefined> {
      const row = await database.query((db) =>
        db
          .selectFrom("activations")
          .select("conversation")
          .where("agentId", "=", agentId)
          .where("usedAt", ">=", since)
          .$if(tokenId !== undefined, (query) => query.where("tokenId", "=", tokenId!))
          .orderBy("usedAt", "desc")
          .orderBy("conversation")
          .limit(1)
          .executeTakeFirst(),
      );
      return row?.conversation;
    },

    /** Adds activations, or updates their times of use if they exist. Other processes are told. */
    async put(put: readonly ActivationRecord[]): Promise<void> {
      if (put.length === 0) return;
      const rows = put.map((activation) => toRow({ id: idOf(activation), ...activation }));
      const [key, ...others] = new Set(put.map(conversationKey));
      const insert = (db: Transaction<Rows>) =>
        db
          .insertInto("activations")
          .values(rows)
          .onConflict((conflict) =>
            conflict.column("id").doUpdateSet((eb) => ({ usedAt: eb.ref("excluded.usedAt") })),
          )
          .execute();
      await database.change("activations", insert, others.length === 0 ? key : undefined);
    },

    /** Updates the times of use of existing activations. Other processes are not told. */
    async touch(touched: readonly ActivationRecord[]): Promise<void> {
      for (const activation of touched) {
        await database.query((db) =>
          db
            .updateTable("activations")
            .set({ usedAt: activation.usedAt })
            .where("id", "=", idOf(activation))
            .execute(),
        );
      }
    },

    /** Deletes activations that were last used before a time, oldest first; resolves with their number. Tells nobody. */
    prune: (before: number, limit: number): Promise<number> =>
      new Records(kernel, activations).prune("usedAt", before, limit),

    /** Deletes tools of a conversation, or all of them. */
    async delete(agentId: string, conversation: string, tools?: readonly string[]): Promise<void> {
      if (tools?.length === 0) return;
      const remove = (db: Transaction<Rows>) =>
        db
          .deleteFrom("activations")
          .where("agentId", "=", agentId)
          .where("conversation", "=", conversation)
          .$if(tools !== undefined, (query) => query.where("tool", "in", tools!))
          .execute();
      await database.change("activations", remove, conversationKey({ agentId, conversation }));
    },
  };
}

/** By this key, other processes are told which conversation changed. */
export function conversationKey({
  agentId,
  conversation,
}: Pick<ActivationRecord, "agentId" | "conversation">): string {
  return `${agentId} ${conversation}`;
}

function idOf({ agentId, conversation, tool }: ActivationRecord): string {
  return `${agentId} ${tool} ${conversation}`;
}
