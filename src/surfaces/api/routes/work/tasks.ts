import type { FastifyInstance } from "fastify";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { randomId } from "../../../../lib/id.ts";
import type { TaskRecord } from "../../../../machine/db/store.ts";
import { cancelTask, type GivingDeps, giveTask } from "../../../../work/tasks/assigned-tasks.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { NewTask, TaskAnswer, TaskList } from "../../contract.ts";
import { byId, exactly, filledText, longText, nameText } from "../../schema.ts";
import { taskView } from "../../views.ts";

const newTask = exactly({ agent: nameText, title: filledText(2_000), instructions: longText }, [
  "agent",
  "title",
]);

interface ById {
  Params: { id: string };
}

export function taskRoutes(app: FastifyInstance, { hub, options }: ApiContext): void {
  const { store, events, identity } = hub;
  const deps: GivingDeps = { store, events, clock: options.clock, newId: randomId };
  const answer = (task: TaskRecord): TaskAnswer => ({ task: taskView(hub, task) });
  const found = async (id: string): Promise<TaskRecord> => {
    const task = await store.tasks.get(id);
    if (!task) throw new ToolkeepError("NOT_FOUND", `there is no task ${id}`);
    return task;
  };

  app.get<{ Querystring: { agent?: string } }>(
    "/tasks",
    {
      schema: {
        summary: "Lists what sub-agents were asked to do",
        querystring: exactly({ agent: nameText }),
        response: gives("TaskList"),
      },
    },
    async ({ query: { agent } }): Promise<TaskList> => {
      const tasks = await store.tasks.list(agent === undefined ? {} : { agentId: identity.agent(agent).id });
      return { tasks: tasks.map((task) => taskView(hub, task)) };
    },
  );

  app.get<ById>(
    "/tasks/:id",
    { schema: { summary: "Shows a task", params: byId, response: gives("TaskAnswer") } },
    async ({ params }) => answer(await found(params.id)),
  );

  app.post<{ Body: NewTask }>(
    "/tasks",
    {
      schema: {
        role: "operator",
        summary: "Gives a sub-agent a task",
        body: newTask,
        response: gives("TaskAnswer", 201),
      },
    },
    async ({ body: { agent, ...input } }, reply) => {
      const task = await giveTask(identity.agent(agent), input, null, deps);
      reply.code(201);
      return answer(task);
    },
  );

  app.post<ById & { Body: { reason?: string } }>(
    "/tasks/:id/cancel",
    {
      schema: {
        role: "operator",
        summary: "Cancels an unfinished task; the sub-agent is told the reason",
        params: byId,
        body: exactly({ reason: { type: "string", maxLength: 2_000 } }),
        response: gives("TaskAnswer"),
      },
    },
    async ({ params, body }) => {
      const task = await found(params.id);
      const { agent } = taskView(hub, task);
      return answer(await cancelTask(task, agent, body.reason, deps));
    },
  );
}
