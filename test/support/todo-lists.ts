import type { TodoItem } from "../../src/features/aids/contract.ts";
import { todos } from "../../src/features/aids/tables.ts";
import { Records } from "../../src/machine/db/query/records.ts";
import type { Store } from "../../src/machine/db/store.ts";

/** To-do lists, as the tool reads and writes them. */
export function todoLists({ database }: Pick<Store, "database">) {
  const records = new Records(database, todos);
  return {
    get: async (agentId: string, conversation: string) =>
      (await records.find({ agentId, conversation }))?.items ?? [],
    put: (agentId: string, conversation: string, items: readonly TodoItem[], updatedAt: number) =>
      records.put({ agentId, conversation, items, updatedAt }),
  };
}
