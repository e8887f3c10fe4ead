import { Command } from "commander";
import type { TaskAnswer, TaskList } from "../../api/contract.ts";
import { query } from "../api-client.ts";
import { ago } from "../duration.ts";
import { examples, leaf, type Run, type Shell } from "../shell.ts";
import { table } from "../table.ts";

export function taskCommand(shell: Shell): Command {
  const task = new Command("task").description("what sub-agents were asked to do");

  leaf(task, "list", "list the tasks", "task list --agent scout1")
    .option("--agent <name>", "only those of this agent")
    .action(shell.action(listTasks));
  examples(
    leaf(task, "create <title>", "give a sub-agent a task")
      .requiredOption("--agent <name>", "the sub-agent")
      .action(shell.action(createTask)),
    "task create 'Collect the release notes' --agent scout1",
  );
  return task;
}

async function listTasks(run: Run, options: { agent?: string }): Promise<undefined> {
  const { tasks } = await run.get<TaskList>(`/api/tasks${query({ agent: options.agent })}`);
  const rows = tasks.map((task) => [
    task.id,
    task.agent,
    task.status,
    ago(task.updatedAt, Date.now()),
    task.title,
    task.note,
  ]);
  run.print(
    { tasks },
    rows.length === 0
      ? "No tasks yet. Give a sub-agent one: toolkeep task create TITLE --agent NAME\n"
      : table(["ID", "AGENT", "STATUS", "CHANGED", "TITLE", "NOTE"], rows, run.terminal.columns),
  );
}

async function createTask(run: Run, title: string, options: { agent: string }): Promise<undefined> {
  const answer = await run.send<TaskAnswer>("POST", "/api/tasks", { agent: options.agent, title });
  run.print(answer, `Created task ${answer.task.id} for ${options.agent}.\n`);
}
