import type { Transaction } from "kysely";
import type { Database } from "../../database.ts";
import { rowCodec } from "../../query/row.ts";
import type { Schema } from "../../schema.ts";
import { type ActivationRecord, type ActivationStore, conversationKey } from "./activation-record.ts";

const MAX_LISTED = 1_000;

export function activationStore(database: Database): ActivationStore {
  return {
    async list(agentId, conversation) {
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
      return rows.map(toRecord).reverse();
    },

    async latest({ agentId, tokenId, since = 0 }) {
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

    async put(activations) {
      if (activations.length === 0) return;
      const rows = activations.map((activation) => toRow({ id: idOf(activation), ...activation }));
      const [key, ...others] = new Set(activations.map(conversationKey));
      const insert = (db: Transaction<Schema>) =>
        db
          .insertInto("activations")
          .values(rows)
          .onConflict((conflict) =>
            conflict.column("id").doUpdateSet((eb) => ({ usedAt: eb.ref("excluded.usedAt") })),
          )
          .execute();
      await database.change("activations", insert, others.length === 0 ? key : undefined);
    },

    async touch(activations) {
      for (const activation of activations) {
        await database.query((db) =>
          db
            .updateTable("activations")
            .set({ usedAt: activation.usedAt })
            .where("id", "=", idOf(activation))
            .execute(),
        );
      }
    },

    async delete(agentId, conversation, tools) {
      if (tools?.length === 0) return;
      const remove = (db: Transaction<Schema>) =>
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

function idOf({ agentId, conversation, tool }: ActivationRecord): string {
  return `${agentId} ${tool} ${conversation}`;
}

interface Stored extends ActivationRecord {
  readonly id: string;
}

const { toRow, toRecord: toStored } = rowCodec<Stored & Record<string, unknown>, "activations">(
  "activations",
);

function toRecord(row: Parameters<typeof toStored>[0]): ActivationRecord {
  const { id: _, ...activation } = toStored(row);
  return activation;
}
