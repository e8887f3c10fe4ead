import type { CommandRun } from "../../contract/define-command.ts";
import { path, query } from "../../lib/http/api-path.ts";
import { ago } from "../../lib/terminal/ago.ts";
import { fields, table } from "../../lib/terminal/table.ts";
import type { TaskAnswer, TaskList } from "./contract.ts";

export async function listTasks(run: CommandRun, options: { agent?: string }): Promise<undefined> {
  const { tasks } = await run.get<TaskList>(`/api/tasks${query({ agent: options.agent })}`);
  const rows = tasks.map((task) => [
    task.id,
    task.agent,
    task.status,
    task.assignedBy ?? "a person",
    ago(task.updatedAt, Date.now()),
    task.title,
    task.note,
  ]);
  run.print(
    { tasks },
    rows.length === 0
      ? "No tasks yet. Give a sub-agent one: toolkeep task create TITLE --agent NAME\n"
      : table(["ID", "AGENT", "STATUS", "GIVEN BY", "CHANGED", "TITLE", "NOTE"], rows, run.columns),
  );
}

export async function showTask(run: CommandRun, id: string): Promise<undefined> {
  const answer = await run.get<TaskAnswer>(path`/api/tasks/${id}`);
  const { task } = answer;
  run.print(
    answer,
    fields([
      ["id", task.id],
      ["agent", task.agent],
      ["title", task.title],
      ["status", task.status],
      ["given by", task.assignedBy ?? "a person"],
      ["created", ago(task.createdAt, Date.now())],
      ["changed", ago(task.updatedAt, Date.now())],
      ["note", task.note],
      ["instructions", task.instructions],
    ]),
  );
}

export async function createTask(
  run: CommandRun,
  title: string,
  options: { agent: string; instructions?: string },
): Promise<undefined> {
  const { agent, instructions } = options;
  const body = { agent, title, ...(instructions === undefined ? {} : { instructions }) };
  const answer = await run.send<TaskAnswer>("POST", "/api/tasks", body);
  run.print(answer, `Created task ${answer.task.id} for ${agent}.\n`);
}

export async function cancelTask(
  run: CommandRun,
  id: string,
  { reason }: { reason?: string },
): Promise<undefined> {
  const body = reason === undefined ? {} : { reason };
  const answer = await run.send<TaskAnswer>("POST", path`/api/tasks/${id}/cancel`, body);
  run.print(answer, `Cancelled task ${id} of ${answer.task.agent}.\n`);
}
