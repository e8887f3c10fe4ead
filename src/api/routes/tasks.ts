import type { FastifyInstance } from "fastify";
import { ToolkeepError } from "../../errors.ts";
import { randomId } from "../../lib/id.ts";
import type { TaskRecord } from "../../store/store.ts";
import { gives } from "../answers/components.ts";
import type { ApiContext } from "../api-options.ts";
import type { NewTask, TaskAnswer, TaskList } from "../contract.ts";
import { exactly, nameText } from "../schema.ts";
import { taskView } from "../views.ts";

const newTask = exactly(
  {
    agent: nameText,
    title: { type: "string", minLength: 1, maxLength: 2_000 },
    instructions: { type: "string", maxLength: 20_000 },
  },
  ["agent", "title"],
);

export function taskRoutes(app: FastifyInstance, { hub, options }: ApiContext): void {
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
      const tasks = await hub.store.tasks.list(
        agent === undefined ? {} : { agentId: hub.identity.agent(agent).id },
      );
      return { tasks: tasks.map((task) => taskView(hub, task)) };
    },
  );

  app.post<{ Body: NewTask }>(
    "/tasks",
    { schema: { summary: "Gives a sub-agent a task", body: newTask, response: gives("TaskAnswer", 201) } },
    async ({ body }, reply): Promise<TaskAnswer> => {
      const agent = hub.identity.agent(body.agent);
      if (agent.parentId === null) {
        throw new ToolkeepError(
          "BAD_REQUEST",
          `tasks are for sub-agents; ${agent.name} is a main agent and works for nobody`,
        );
      }
      const now = options.clock();
      const task: TaskRecord = {
        id: randomId("tsk"),
        agentId: agent.id,
        title: body.title,
        instructions: body.instructions ?? "",
        status: "open",
        note: "",
        assignedBy: null,
        createdAt: now,
        updatedAt: now,
      };
      await hub.store.tasks.create(task);
      reply.code(201);
      return { task: taskView(hub, task) };
    },
  );
}
