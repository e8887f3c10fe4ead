import { z } from "zod";
import type { Identity } from "../../call/identity/identity.ts";
import { DONE, defineRoute, done, type Route } from "../../contract/define-route.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import { optional, pick } from "../../contract/shape.ts";
import { cancelTask, type GivingDeps, giveTask } from "./assigned-tasks.ts";
import type { MessageRecord, MessageView, TaskRecord, TaskView } from "./contract.ts";
import * as shapes from "./contract.ts";
import { agentNameOf } from "./sub-agents.ts";
import type { MessageTable } from "./tables.ts";

export interface TaskRouteDeps extends GivingDeps {
  readonly store: GivingDeps["store"] & { readonly messages: MessageTable };
  readonly identity: Pick<Identity, "agent" | "agents" | "agentById">;
}

export function taskRoutes(deps: TaskRouteDeps): readonly Route[] {
  const { store, identity } = deps;
  const answer = (task: TaskRecord) => ({ task: viewOfTask(task, deps) });
  const find = async (id: string): Promise<TaskRecord> => {
    const task = await store.tasks.get(id);
    if (!task) throw new ToolkeepError("NOT_FOUND", `there is no task ${id}`);
    return task;
  };
  return [
    defineRoute({
      method: "GET",
      path: "/tasks",
      summary: "Lists what sub-agents were asked to do",
      query: z.object(optional({ agent: z.string().min(1).max(200) })),
      answer: shapes.taskList,
      async handle({ query: { agent } }) {
        const tasks = await store.tasks.list(
          agent === undefined ? {} : { agentId: identity.agent(agent).id },
        );
        return { tasks: tasks.map((task) => viewOfTask(task, deps)) };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/tasks/:id",
      summary: "Shows a task",
      answer: shapes.taskAnswer,
      handle: async ({ params }) => answer(await find(params.id)),
    }),
    defineRoute({
      method: "POST",
      path: "/tasks",
      role: "operator",
      summary: "Gives a sub-agent a task",
      body: shapes.newTask,
      answer: shapes.taskAnswer,
      status: 201,
      handle: async ({ body: { agent, ...input } }) =>
        answer(await giveTask(identity.agent(agent), input, null, deps)),
    }),
    defineRoute({
      method: "POST",
      path: "/tasks/:id/cancel",
      role: "operator",
      summary: "Cancels an unfinished task; the sub-agent is told the reason",
      body: shapes.cancellation,
      answer: shapes.taskAnswer,
      async handle({ params, body }) {
        const task = await find(params.id);
        return answer(await cancelTask(task, agentNameOf(deps, task.agentId), body.reason, deps));
      },
    }),
    defineRoute({
      method: "GET",
      path: "/agents/:name/messages",
      summary: "Lists what sub-agents told an agent",
      query: z.object(optional({ unread: z.boolean() })),
      answer: shapes.messageList,
      async handle({ params, query: { unread = false } }) {
        const messages = await store.messages.list({ toAgentId: identity.agent(params.name).id, unread });
        return { messages: messages.map((message) => viewOfMessage(message, deps)) };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/agents/:name/messages/read",
      role: "operator",
      summary: "Marks messages to an agent as read",
      body: shapes.readMessages,
      answer: done,
      async handle({ params, body }) {
        const unread = await store.messages.list({ toAgentId: identity.agent(params.name).id, unread: true });
        const ids = unread.map(({ id }) => id).filter((id) => body.ids.includes(id));
        await store.messages.markRead(ids, deps.clock());
        return DONE;
      },
    }),
  ];
}

function viewOfTask(task: TaskRecord, deps: TaskRouteDeps): TaskView {
  const { agentId, assignedBy } = task;
  return pick(shapes.taskView, {
    ...task,
    agent: agentNameOf(deps, agentId),
    assignedBy: assignedBy === null ? null : agentNameOf(deps, assignedBy),
  });
}

function viewOfMessage(message: MessageRecord, deps: TaskRouteDeps): MessageView {
  return pick(shapes.messageView, {
    ...message,
    from: agentNameOf(deps, message.fromAgentId),
    to: agentNameOf(deps, message.toAgentId),
  });
}
