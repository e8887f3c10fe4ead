import type { Command } from "commander";
import { path, query } from "../../../../lib/http/api-path.ts";
import { ago } from "../../../../lib/terminal/ago.ts";
import { fields, table } from "../../../../lib/terminal/table.ts";
import type { TaskAnswer, TaskList } from "../../../api/contract.ts";
import type { Run, Shell } from "../../shell.ts";

export function taskCommand(shell: Shell): Command {
  const task = shell.group("task", "what sub-agents were asked to do");

  task
    .leaf("list", "list the tasks", listTasks, "--agent scout1")
    .option("--agent <name>", "only those of this agent");
  task.leaf("show <id>", "show a task with its instructions", showTask, "tsk_2f7k");
  task
    .leaf(
      "create <title>",
      "give a sub-agent a task",
      createTask,
      "'Collect the release notes' --agent scout1",
    )
    .requiredOption("--agent <name>", "the sub-agent")
    .option("--instructions <text>", "all that is needed to do it");
  task
    .leaf("cancel <id>", "cancel an unfinished task", cancelTask, "tsk_2f7k --reason 'done by hand'")
    .option("--reason <text>", "why; the sub-agent is told");
  return task;
}

async function listTasks(run: Run, options: { agent?: string }): Promise<undefined> {
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
      : table(["ID", "AGENT", "STATUS", "GIVEN BY", "CHANGED", "TITLE", "NOTE"], rows, run.terminal.columns),
  );
}

async function showTask(run: Run, id: string): Promise<undefined> {
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

async function createTask(
  run: Run,
  title: string,
  options: { agent: string; instructions?: string },
): Promise<undefined> {
  const { agent, instructions } = options;
  const body = { agent, title, ...(instructions === undefined ? {} : { instructions }) };
  const answer = await run.send<TaskAnswer>("POST", "/api/tasks", body);
  run.print(answer, `Created task ${answer.task.id} for ${agent}.\n`);
}

async function cancelTask(run: Run, id: string, { reason }: { reason?: string }): Promise<undefined> {
  const body = reason === undefined ? {} : { reason };
  const answer = await run.send<TaskAnswer>("POST", path`/api/tasks/${id}/cancel`, body);
  run.print(answer, `Cancelled task ${id} of ${answer.task.agent}.\n`);
}
