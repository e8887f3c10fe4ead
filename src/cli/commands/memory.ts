import { Command } from "commander";
import type { Done, MemoryList } from "../../api/contract.ts";
import { path, query } from "../api-client.ts";
import { ago } from "../duration.ts";
import { type PageOptions, pageNote, pageOptions } from "../pages.ts";
import { leaf, type Run, type Shell } from "../shell.ts";
import { table } from "../table.ts";

export function memoryCommand(shell: Shell): Command {
  const memory = new Command("memory").description("what agents remember from one conversation to the next");

  pageOptions(
    leaf(memory, "list", "list the memories, newest first", "memory list --agent main").option(
      "--agent <name>",
      "only those of this agent; those of a sub-agent are its parent's",
    ),
  ).action(shell.action(listMemories));
  leaf(memory, "search <words...>", "search the memories, best first", "memory search tabs or spaces")
    .option("--agent <name>", "only those of this agent")
    .option("--limit <count>", "how many at most; 100 unless given")
    .action(shell.action(searchMemories));
  leaf(memory, "forget <id>", "delete a memory for good", "memory forget mem_…").action(
    shell.action(forgetMemory),
  );
  return memory;
}

async function listMemories(run: Run, options: PageOptions & { agent?: string }): Promise<undefined> {
  const { agent, limit, offset } = options;
  const answer = await run.get<MemoryList>(`/api/memories${query({ agent, limit, offset })}`);
  run.print(
    answer,
    answer.total === 0
      ? "Nothing is remembered yet. Agents with the tool memorize do: toolkeep agent edit AGENT --toolbox research\n"
      : shown(run, answer) + pageNote(options, answer.memories.length, answer.total),
  );
}

async function searchMemories(
  run: Run,
  words: string[],
  { agent, limit }: { agent?: string; limit?: string },
): Promise<undefined> {
  const answer = await run.get<MemoryList>(`/api/memories${query({ text: words.join(" "), agent, limit })}`);
  run.print(
    answer,
    answer.memories.length === 0
      ? "Nothing is remembered about that. Try other words, or toolkeep memory list.\n"
      : shown(run, answer),
  );
}

async function forgetMemory(run: Run, id: string): Promise<undefined> {
  run.print(await run.send<Done>("DELETE", path`/api/memories/${id}`), `Forgot ${id}.\n`);
}

function shown(run: Run, { memories }: MemoryList): string {
  const now = Date.now();
  const rows = memories.map(({ id, agent, tags, text, updatedAt, lastUsedAt }) => [
    id,
    agent,
    ago(updatedAt, now),
    ago(lastUsedAt, now),
    tags.join(", "),
    text,
  ]);
  return table(["ID", "AGENT", "CHANGED", "USED", "TAGS", "TEXT"], rows, run.terminal.columns);
}
