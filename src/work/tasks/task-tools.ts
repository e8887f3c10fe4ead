import { z } from "zod";
import type { Questions } from "../../call/questions/questions.ts";
import type { Caller } from "../../contract/caller.ts";
import { failed, grantedTool, output } from "../../contract/define-native-tool.ts";
import { optional } from "../../contract/shape.ts";
import type { Tool } from "../../contract/tool.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { iso } from "../../lib/text/time-text.ts";
import { outputPage, pageArguments, pageRequest } from "../../machine/db/query/paging.ts";
import { cancelTask, type GivingDeps, giveTask } from "./assigned-tasks.ts";
import { type TaskRecord, taskStatus } from "./contract.ts";
import { inputRequestTools, openRequests } from "./input-requests.ts";
import { type ReportDeps, readReportsTool } from "./reports.ts";
import { agentNameOf, type SubAgentDeps, subAgent, subAgentsOf } from "./sub-agents.ts";

export interface TaskToolDeps extends GivingDeps, SubAgentDeps, Omit<ReportDeps, "store"> {
  readonly store: GivingDeps["store"] & ReportDeps["store"];
  readonly questions: Pick<Questions, "list" | "answer">;
}

const DOMAIN = { domain: "tasks", scope: "tools" } as const;
const READS = { readOnly: true, concurrencySafe: true } as const;
const taskId = z.string().min(1).max(100).describe("Its id, such as tsk_…");
const agentName = z.string().min(1).max(64);

/**
 * The other side of the reply protocol: what an agent does with those that work for it. It sees the tasks, questions and
 * reports of its own sub-agents, and the tasks that it was given itself.
 */
export function taskTools(deps: TaskToolDeps): readonly Tool[] {
  return [
    createTool(deps),
    listTool(deps),
    getTool(deps),
    cancelTool(deps),
    ...inputRequestTools(deps),
    readReportsTool(deps),
  ];
}

function createTool(deps: TaskToolDeps): Tool {
  return grantedTool({
    ...DOMAIN,
    name: "create_task",
    title: "Give a sub-agent a task",
    description:
      "Give one of your sub-agents a task. It says how far it is with update_task_status, asks with request_input and reports with report_to_parent; follow it with get_task, list_input_requests and read_reports.",
    input: z.object({
      agent: agentName.describe("The sub-agent."),
      title: z.string().min(1).max(2_000).describe("What is to be done, in one line."),
      ...optional({
        instructions: z
          .string()
          .max(20_000)
          .describe("All that is needed to do it, and what the result should look like."),
      }),
    }),
    async run({ agent: name, ...input }, { caller }) {
      const agent = subAgent(name, caller, deps);
      if (!agent.ok) return failed(agent.error);
      const task = await giveTask(agent.value, input, caller.operator ? null : caller.agentId, deps);
      const said = `Gave ${name} the task ${task.id} (${task.title}).`;
      return output(said, { task: shownTask(task, deps) }, { wrote: [task.id] });
    },
  });
}

function listTool(deps: TaskToolDeps): Tool {
  return grantedTool({
    ...DOMAIN,
    name: "list_tasks",
    title: "List the tasks",
    description: "List the tasks of your sub-agents and those that you were given, newest first.",
    input: z.object({
      ...optional({
        agent: agentName.describe("Only those of this sub-agent, or your own by your name."),
        status: taskStatus.describe("Only those in this state."),
      }),
      ...pageArguments,
    }),
    flags: READS,
    async run({ agent, status, ...page }, { caller }) {
      const tasks = await tasksOf(agent, caller, deps);
      if (!tasks.ok) return failed(tasks.error);
      const all = tasks.value
        .filter((task) => status === undefined || task.status === status)
        .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
      const { limit, offset } = pageRequest(page);
      const found = { items: all.slice(offset, offset + limit), total: all.length };
      const shown = found.items.map((task) => {
        const { instructions: _, ...rest } = shownTask(task, deps);
        return rest;
      });
      const texts = { line: (task: TaskRecord) => taskLine(task, deps), none: "There is no such task." };
      const gave = found.items.map(({ id }) => id);
      return outputPage(found, offset, texts, { tasks: shown }, { gave });
    },
  });
}

function getTool(deps: TaskToolDeps): Tool {
  return grantedTool({
    ...DOMAIN,
    name: "get_task",
    title: "Show a task",
    description:
      "Show a task of yours or of a sub-agent: its instructions, how far it is, and what the sub-agent asks you.",
    input: z.object({ id: taskId }),
    flags: READS,
    async run({ id }, { caller }) {
      const found = await seenTask(id, caller, deps);
      if (!found.ok) return failed(found.error);
      const task = found.value;
      const asked = await openRequests(caller, deps, task.agentId);
      const requests = asked.map(({ shown }) => shown);
      const text = [
        taskLine(task, deps),
        `given by ${giverOf(task, deps) ?? "a person"} on ${iso(task.createdAt)}, changed ${iso(task.updatedAt)}`,
        ...(task.note === "" ? [] : [`note: ${task.note}`]),
        ...(task.instructions === "" ? [] : ["", task.instructions]),
        ...requests.map(
          ({ id, question }) => `\nIt asks (${id}; answer with answer_input_request): ${question}`,
        ),
      ];
      const gave = [task.id, ...asked.map(({ agentId }) => agentId)];
      return output(text.join("\n"), { task: shownTask(task, deps), input_requests: requests }, { gave });
    },
  });
}

function cancelTool(deps: TaskToolDeps): Tool {
  return grantedTool({
    ...DOMAIN,
    name: "cancel_task",
    title: "Cancel a task",
    description:
      "Cancel an unfinished task that you gave a sub-agent. It is told when it next says how far it is; what it has done stays.",
    input: z.object({
      id: taskId,
      ...optional({ reason: z.string().max(2_000).describe("Why; the sub-agent is told.") }),
    }),
    async run({ id, reason }, { caller }) {
      const found = await seenTask(id, caller, deps);
      if (!found.ok) return failed(found.error);
      const task = found.value;
      if (!caller.operator && task.assignedBy !== caller.agentId) {
        const giver = giverOf(task, deps) ?? "a person";
        return failed(`${id} was given by ${giver}, and only they can cancel it. Ask them.`);
      }
      const name = agentNameOf(deps, task.agentId);
      const cancelled = await cancelTask(task, name, reason, deps);
      const said = `Cancelled the task ${id} of ${name}.`;
      return output(said, { task: shownTask(cancelled, deps) }, { gave: [id], wrote: [id] });
    },
  });
}

/** Returns the tasks of one agent that the caller may see, or of all of them. */
async function tasksOf(
  name: string | undefined,
  caller: Caller,
  deps: TaskToolDeps,
): Promise<Result<readonly TaskRecord[], string>> {
  const { tasks } = deps.store;
  if (name === caller.agentName) return ok(await tasks.list({ agentId: caller.agentId }));
  if (name !== undefined) {
    const agent = subAgent(name, caller, deps);
    return agent.ok ? ok(await tasks.list({ agentId: agent.value.id })) : agent;
  }
  if (caller.operator) return ok(await tasks.list());
  const ids = [caller.agentId, ...subAgentsOf(caller, deps).map(({ id }) => id)];
  return ok((await Promise.all(ids.map((agentId) => tasks.list({ agentId })))).flat());
}

/** Tasks that do not concern the caller are reported as unknown. */
async function seenTask(id: string, caller: Caller, deps: TaskToolDeps): Promise<Result<TaskRecord, string>> {
  const task = await deps.store.tasks.get(id);
  const isSeen =
    task &&
    (caller.operator ||
      task.agentId === caller.agentId ||
      deps.identity.agentById(task.agentId)?.parentId === caller.agentId);
  return isSeen
    ? ok(task)
    : err(`There is no task ${JSON.stringify(id)}. list_tasks shows those that you can look at.`);
}

function taskLine({ id, agentId, status, title }: TaskRecord, deps: SubAgentDeps): string {
  return `${id} (${agentNameOf(deps, agentId)}, ${status}): ${title}`;
}

function giverOf({ assignedBy }: TaskRecord, deps: SubAgentDeps): string | null {
  return assignedBy === null ? null : agentNameOf(deps, assignedBy);
}

function shownTask(task: TaskRecord, deps: SubAgentDeps) {
  const { agentId, assignedBy: _, createdAt, updatedAt, ...shown } = task;
  return {
    ...shown,
    agent: agentNameOf(deps, agentId),
    assigned_by: giverOf(task, deps),
    created_at: iso(createdAt),
    updated_at: iso(updatedAt),
  };
}
