import { defineTool, output } from "../../contract/define-native-tool.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Store, TodoItem } from "../../machine/db/store.ts";

export interface TodoDeps {
  readonly store: Pick<Store, "todos">;
  readonly clock: Clock;
}

const MARKS = { pending: "[ ]", in_progress: "[~]", done: "[x]" } as const;

export function todosTool({ store, clock }: TodoDeps): Tool {
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
        items: {
          type: "object",
          properties: {
            text: { type: "string", minLength: 1, maxLength: 500 },
            status: { enum: Object.keys(MARKS) },
          },
          required: ["text", "status"],
          additionalProperties: false,
        },
      },
    },
    required: [],
    scope: "tools",
    async run({ items }, { caller }) {
      if (items) await store.todos.put(caller.agentId, caller.conversation, items, clock());
      const list = items ?? (await store.todos.get(caller.agentId, caller.conversation));
      const lines = list.map((item) => `${MARKS[item.status]} ${item.text}`);
      return output(lines.length > 0 ? lines.join("\n") : "(the list is empty)", { items: list });
    },
  });
}
