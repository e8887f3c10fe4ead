import type { Database } from "../../database.ts";
import { rowCodec } from "../../query/row.ts";
import type { TodoItem, TodoStore } from "../../store.ts";

export function todoStore(database: Database): TodoStore {
  return {
    async get(agentId, conversation) {
      const row = await database.query((db) =>
        db
          .selectFrom("todos")
          .selectAll()
          .where("agentId", "=", agentId)
          .where("conversation", "=", conversation)
          .executeTakeFirst(),
      );
      return row ? toRecord(row).items : [];
    },

    async put(agentId, conversation, items, at) {
      const row = toRow({ agentId, conversation, items, updatedAt: at });
      await database.query((db) =>
        db
          .insertInto("todos")
          .values(row)
          .onConflict((conflict) =>
            conflict
              .columns(["agentId", "conversation"])
              .doUpdateSet({ items: row.items, updatedAt: row.updatedAt }),
          )
          .execute(),
      );
    },
  };
}

interface TodoList {
  readonly agentId: string;
  readonly conversation: string;
  readonly items: readonly TodoItem[];
  readonly updatedAt: number;
}

const { toRow, toRecord } = rowCodec<TodoList & Record<string, unknown>, "todos">("todos");
