import { defineTool, output } from "../../contract/define-native-tool.ts";
import { inputSchema } from "../../contract/shape.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import { Records } from "../../machine/db/query/records.ts";
import type { Store } from "../../machine/db/store.ts";
import { type TodoItem, todoItem } from "./contract.ts";
import { todos } from "./tables.ts";

export interface TodoDeps {
  readonly store: Pick<Store, "database">;
  readonly clock: Clock;
}

const MARKS = { pending: "[ ]", in_progress: "[~]", done: "[x]" } as const;

export function todosTool({ store, clock }: TodoDeps): Tool {
  const records = new Records(store.database, todos);
  return defineTool<{ readonly items?: readonly TodoItem[] }>({
    name: "task_todos",
    title: "Keep a to-do list",
    domain: "work",
    description:
      "Keep the to-do list of this conversation. With items the whole list is replaced; without it the list is only read. " +
      "Keep at most one item in_progress, and mark items done as soon as they are.",
    properties: {
      items: {
        type: "array",
        maxItems: 100,
        description: "The whole new list, in order. Leave it out to read the list; give [] to empty it.",
        items: inputSchema(todoItem),
      },
    },
    required: [],
    scope: "tools",
    async run({ items }, { caller: { agentId, conversation } }) {
      if (items) await records.put({ agentId, conversation, items, updatedAt: clock() });
      const list = items ?? (await records.find({ agentId, conversation }))?.items ?? [];
      const lines = list.map((item) => `${MARKS[item.status]} ${item.text}`);
      return output(lines.length > 0 ? lines.join("\n") : "(the list is empty)", { items: list });
    },
  });
}
