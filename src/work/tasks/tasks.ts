import { z } from "zod";
import { failed, floorTool, output } from "../../contract/define-native-tool.ts";
import { optional } from "../../contract/shape.ts";
import type { Tool } from "../../contract/tool.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { changeTask, isFinished, type TaskDeps } from "./assigned-tasks.ts";
import { type TaskRecord, taskStatus } from "./contract.ts";

/** The states that a sub-agent may set. Only the giver of a task cancels it. */
const ownStatus = taskStatus.exclude(["cancelled"]);
const MAX_LISTED = 20;

export function updateTaskStatusTool(deps: TaskDeps): Tool {
  return floorTool({
    name: "update_task_status",
    title: "Update the task's status",
    domain: "tasks",
    description:
      "Say how far the task is that you were given. Set in_progress when you begin, which shows you its instructions; blocked when you cannot go on; done or failed when it is over. " +
      "task_id is only needed when you have several unfinished tasks.",
    input: z.object({
      status: ownStatus,
      ...optional({
        note: z.string().max(5_000).describe("Why, or what came of it."),
        task_id: z.string().max(100).describe("Which task."),
      }),
    }),
    scope: "tools",
    availability: "sub-agent",
    async run({ status, note, task_id }, { caller }) {
      const task = choose(await deps.store.tasks.list({ agentId: caller.agentId }), task_id);
      if (!task.ok) return failed(task.error);
      const change = { status, ...(note !== undefined && { note }) };
      const { id, title, instructions } = await changeTask(task.value, caller.agentName, change, deps);
      const isBegun = status === "in_progress" && instructions !== "";
      return output(
        `Task ${id} (${title}) is now ${status}.${isBegun ? `\n\n${instructions}` : ""}`,
        isBegun ? { id, status, title, instructions } : { id, status },
        { gave: [id], wrote: [id] },
      );
    },
  });
}

/** The task of that id, or the only unfinished one. */
function choose(tasks: readonly TaskRecord[], id: string | undefined): Result<TaskRecord, string> {
  if (id !== undefined) {
    const task = tasks.find((candidate) => candidate.id === id);
    if (task?.status === "cancelled") return err(cancelled(task));
    return task ? ok(task) : err(`You have no task ${JSON.stringify(id)}. ${listed(tasks)}`);
  }
  const [task, ...others] = tasks.filter((candidate) => !isFinished(candidate));
  if (!task) return err(`You have no unfinished task. ${listed(tasks)}`);
  if (others.length > 0)
    return err(`You have several unfinished tasks; say which with task_id. ${listed([task, ...others])}`);
  return ok(task);
}

function cancelled({ id, note }: TaskRecord): string {
  return `Task ${id} was cancelled${note === "" ? "" : `: ${note}`}. Stop working on it.`;
}

function listed(tasks: readonly TaskRecord[]): string {
  if (tasks.length === 0)
    return "You have been given no task; report_to_parent tells your parent how far you are.";
  const shown = tasks
    .slice(-MAX_LISTED)
    .map((task) => `${task.id} (${task.status}: ${task.title.slice(0, 100)})`);
  return `Your tasks: ${shown.join(", ")}.`;
}
