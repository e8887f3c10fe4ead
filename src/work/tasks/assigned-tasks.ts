import type { AgentRecord } from "../../call/identity/contract.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Events } from "../../contract/events.ts";
import type { Clock } from "../../lib/clock.ts";
import type { NewId } from "../../lib/id.ts";
import { FINISHED, type TaskInput, type TaskRecord } from "./contract.ts";
import type { TaskTable } from "./tables.ts";

export interface TaskDeps {
  readonly store: { readonly tasks: TaskTable };
  readonly events: Events;
  readonly clock: Clock;
}

export interface GivingDeps extends TaskDeps {
  readonly newId: NewId;
}

/** How many tasks one agent may have before it. */
const MAX_UNFINISHED = 100;

export function isFinished({ status }: Pick<TaskRecord, "status">): boolean {
  return FINISHED.includes(status);
}

/** Gives a sub-agent work; `by` is the id of the agent that does, null for a person. Throws BAD_REQUEST, TOO_MANY. */
export async function giveTask(
  agent: AgentRecord,
  { title, instructions = "" }: TaskInput,
  by: string | null,
  { store, events, clock, newId }: GivingDeps,
): Promise<TaskRecord> {
  if (agent.parentId === null) {
    throw new ToolkeepError(
      "BAD_REQUEST",
      `tasks are for sub-agents; ${agent.name} is a main agent and works for nobody`,
    );
  }
  const waiting = await store.tasks.list({ agentId: agent.id, unfinished: true });
  if (waiting.length >= MAX_UNFINISHED) {
    throw new ToolkeepError(
      "TOO_MANY",
      `${agent.name} has ${waiting.length} unfinished tasks already, which is the most`,
      { remedy: "Cancel some, or wait until some are done." },
    );
  }
  const now = clock();
  const task: TaskRecord = {
    id: newId("tsk"),
    agentId: agent.id,
    title,
    instructions,
    status: "open",
    note: "",
    assignedBy: by,
    createdAt: now,
    updatedAt: now,
  };
  await store.tasks.create(task);
  events.emit("task.changed", { task: task.id, agent: agent.name, status: task.status });
  return task;
}

/** Throws CHANGED where the task is in another state than was read: who cancelled it must not be overruled. */
export async function changeTask(
  task: TaskRecord,
  agentName: string,
  change: Partial<Pick<TaskRecord, "status" | "note">>,
  { store, events, clock }: TaskDeps,
): Promise<TaskRecord> {
  const changed = { ...task, ...change, updatedAt: clock() };
  const { id, status, note, updatedAt } = changed;
  await store.tasks.update(id, { status, note, updatedAt }, task.status);
  events.emit("task.changed", { task: id, agent: agentName, status });
  return changed;
}

/** Throws BAD_REQUEST for one that is over. */
export async function cancelTask(
  task: TaskRecord,
  agentName: string,
  reason: string | undefined,
  deps: TaskDeps,
): Promise<TaskRecord> {
  if (isFinished(task)) {
    throw new ToolkeepError(
      "BAD_REQUEST",
      `only an unfinished task can be cancelled; ${task.id} is ${task.status}`,
    );
  }
  return changeTask(task, agentName, { status: "cancelled", note: reason ?? task.note }, deps);
}
