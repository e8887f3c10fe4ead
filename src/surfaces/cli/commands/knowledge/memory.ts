import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { path, query } from "../../../../lib/http/api-path.ts";
import { ago } from "../../../../lib/terminal/ago.ts";
import { type PageOptions, pageNote } from "../../../../lib/terminal/page-note.ts";
import { fields, table, texts } from "../../../../lib/terminal/table.ts";
import type * as api from "../../../api/contract.ts";
import { destructive } from "../../input/destructive.ts";
import { textInput } from "../../input/text-input.ts";
import { parseDuration } from "../../print/duration.ts";
import { pageOptions } from "../../print/pages.ts";
import { collect, type Run, type Shell } from "../../shell.ts";

interface OwnerOptions {
  readonly agent?: string;
  readonly space?: string;
}

interface PutOptions extends OwnerOptions {
  readonly key?: string;
  readonly tag: readonly string[];
  readonly type?: string;
  readonly label?: string;
  readonly expires?: string;
}

interface EditOptions {
  readonly text?: string;
  readonly tag: readonly string[];
  readonly type?: string;
  readonly label?: string | false;
  readonly expires?: string | false;
}

export function memoryCommand(shell: Shell): Command {
  const memory = shell.group("memory", "Manage what agents remember across conversations");

  pageOptions(
    addOwnerOptions(memory.leaf("list", "List memories, newest first", listMemories, "--agent main")),
  );
  addOwnerOptions(
    memory.leaf("search <words...>", "Search memories, best match first", searchMemories, "tabs or spaces"),
  ).option("--limit <count>", "Maximum number to list (default: 100)");
  memory.leaf("show <id>", "Show a memory in full", showMemory, "mem_…");
  memory.leaf("history <id>", "Show earlier versions of a memory, newest first", showHistory, "mem_…");
  memory.leaf("spaces", "List shared spaces", listSpaces);
  pageOptions(memory.leaf("retracted", "List retracted memories, newest first", listRetracted));
  addOwnerOptions(
    memory.leaf(
      "put <text>",
      "Store a memory; - reads it from standard input",
      putMemory,
      "'We deploy on Fridays.' --space shared --key deploy.day",
      "'Prefers tabs.' --agent main --type preference",
    ),
  )
    .option("--key <key>", "Subject of the memory; replaces the memory with the same key")
    .option("--tag <tag>", "Tag to find it by (repeatable)", collect, [])
    .option("--type <type>", "Kind: note, fact, preference, decision, event or procedure")
    .option("--label <label>", "Visible only to those who may see this label")
    .option("--expires <duration>", "Lifetime, such as 30d or 12h");
  memory
    .leaf(
      "edit <id>",
      "Change a memory; the earlier version is kept",
      editMemory,
      "mem_… --text 'We deploy on Mondays.'",
    )
    .option("--text <text>", "New text; - reads it from standard input")
    .option("--tag <tag>", "Replace its tags (repeatable)", collect, [])
    .option("--type <type>", "Kind: note, fact, preference, decision, event or procedure")
    .option("--label <label>", "Visible only to those who may see this label")
    .option("--no-label", "Remove the label")
    .option("--expires <duration>", "Lifetime, such as 30d or 12h")
    .option("--no-expires", "Keep it until it is removed");
  memory.leaf("retract <id>", "Retract a memory; its text stays in the history", retractMemory, "mem_…");
  destructive(
    memory,
    "forget <id>",
    "Delete a memory and its history permanently",
    (id) => `Delete memory ${id} and its history permanently?`,
    forgetMemory,
    "mem_…",
  );
  return memory;
}

function addOwnerOptions(command: Command): Command {
  return command
    .option("--agent <name>", "Memories of this agent; sub-agents share those of their parent")
    .option("--space <name>", "Memories of this shared space");
}

async function listMemories(run: Run, options: PageOptions & OwnerOptions): Promise<undefined> {
  const { agent, space, limit, offset } = options;
  const answer = await run.get<api.MemoryList>(`/api/memories${query({ agent, space, limit, offset })}`);
  run.print(
    answer,
    answer.total === 0
      ? "No memories yet. Agents with the tool memorize create them: toolkeep agent edit AGENT --toolbox research\n"
      : formatMemories(run, answer) + pageNote(options, answer.memories.length, answer.total),
  );
}

async function searchMemories(
  run: Run,
  words: string[],
  { agent, space, limit }: OwnerOptions & { limit?: string },
): Promise<undefined> {
  const answer = await run.get<api.MemoryList>(
    `/api/memories${query({ text: words.join(" "), agent, space, limit })}`,
  );
  run.print(
    answer,
    answer.memories.length === 0
      ? "No matching memories. Try other words, or toolkeep memory list.\n"
      : formatMemories(run, answer),
  );
}

async function showMemory(run: Run, id: string): Promise<undefined> {
  const answer = await run.get<api.MemoryAnswer>(path`/api/memories/${id}`);
  const { memory } = answer;
  const now = Date.now();
  run.print(
    answer,
    fields([
      ["id", memory.id],
      ["owner", formatOwner(memory)],
      ["key", memory.key],
      ["type", memory.type],
      ["tags", memory.tags.join(", ")],
      ["label", memory.label],
      ["written by", memory.writtenBy],
      ["changed", `${ago(memory.updatedAt, now)}, revision ${memory.revision}`],
      ["used", ago(memory.lastUsedAt, now)],
      ["expires", memory.expiresAt && new Date(memory.expiresAt).toISOString()],
      ["metadata", Object.keys(memory.metadata).length === 0 ? null : JSON.stringify(memory.metadata)],
    ]) + texts("text:", [memory.text]),
  );
}

async function showHistory(run: Run, id: string): Promise<undefined> {
  const answer = await run.get<api.MemoryHistory>(path`/api/memories/${id}/history`);
  run.print(
    answer,
    answer.versions.length === 0 ? "It has no earlier versions.\n" : formatVersions(run, answer),
  );
}

async function listRetracted(run: Run, { limit, offset }: PageOptions): Promise<undefined> {
  const answer = await run.get<api.MemoryHistory>(`/api/memories/retracted${query({ limit, offset })}`);
  run.print(answer, answer.versions.length === 0 ? "No retracted memories.\n" : formatVersions(run, answer));
}

async function listSpaces(run: Run): Promise<undefined> {
  const answer = await run.get<api.MemorySpaces>("/api/memories/spaces");
  const rows = answer.spaces.map(({ name, read, write, memories }) => [
    name,
    memories,
    read.join(", "),
    write.join(", ") || "people",
  ]);
  run.print(answer, table(["SPACE", "MEMORIES", "READ BY", "WRITTEN BY"], rows, run.terminal.columns));
}

async function putMemory(run: Run, text: string, options: PutOptions): Promise<undefined> {
  const { agent, space, key, tag, type, label, expires } = options;
  const body: api.NewMemory = {
    text: await textInput(text, run.terminal),
    ...(agent !== undefined && { agent }),
    ...(space !== undefined && { space }),
    ...(key !== undefined && { key }),
    ...(tag.length > 0 && { tags: tag }),
    ...(type !== undefined && { type: type as api.MemoryType }),
    ...(label !== undefined && { label }),
    ...(expires !== undefined && { expiresAt: Date.now() + parseDuration(expires) }),
  };
  const answer = await run.send<api.MemoryAnswer>("POST", "/api/memories", body);
  run.print(answer, `Stored as ${answer.memory.id}.\n`);
}

async function editMemory(run: Run, id: string, options: EditOptions): Promise<undefined> {
  const { text, tag, type, label, expires } = options;
  const body: api.MemoryEdit = {
    ...(text !== undefined && { text: await textInput(text, run.terminal) }),
    ...(tag.length > 0 && { tags: tag }),
    ...(type !== undefined && { type: type as api.MemoryType }),
    ...(label !== undefined && { label: label === false ? null : label }),
    ...(expires !== undefined && {
      expiresAt: expires === false ? null : Date.now() + parseDuration(expires),
    }),
  };
  if (Object.keys(body).length === 0)
    throw new ToolkeepError(
      "BAD_USAGE",
      "nothing to change; give --text, --tag, --type, --label or --expires",
    );
  const answer = await run.send<api.MemoryAnswer>("PATCH", path`/api/memories/${id}`, body);
  run.print(answer, `Changed ${id}, now revision ${answer.memory.revision}.\n`);
}

async function retractMemory(run: Run, id: string): Promise<undefined> {
  const done = await run.send<api.Done>("POST", path`/api/memories/${id}/retract`);
  run.print(done, `Retracted ${id}. Its text is in the history: toolkeep memory history ${id}\n`);
}

async function forgetMemory(run: Run, id: string): Promise<undefined> {
  run.print(await run.send<api.Done>("DELETE", path`/api/memories/${id}`), `Deleted ${id}.\n`);
}

function formatMemories(run: Run, { memories }: api.MemoryList): string {
  const now = Date.now();
  // These columns are often empty and terminals are narrow, so they are shown only if needed.
  const isKeyed = memories.some(({ key }) => key !== null);
  const isLabelled = memories.some(({ label }) => label !== null);
  const rows = memories.map((memory) => [
    memory.id,
    formatOwner(memory),
    ago(memory.updatedAt, now),
    ago(memory.lastUsedAt, now),
    ...(isKeyed ? [memory.key ?? ""] : []),
    ...(isLabelled ? [memory.label ?? ""] : []),
    memory.tags.join(", "),
    memory.text,
  ]);
  const headings = [
    ...["ID", "AGENT", "CHANGED", "USED"],
    ...(isKeyed ? ["KEY"] : []),
    ...(isLabelled ? ["LABEL"] : []),
    ...["TAGS", "TEXT"],
  ];
  return table(headings, rows, run.terminal.columns);
}

function formatVersions(run: Run, { versions }: api.MemoryHistory): string {
  const now = Date.now();
  const rows = versions.map(({ memoryId, revision, reason, endedAt, endedBy, text }) => [
    memoryId,
    revision,
    reason,
    ago(endedAt, now),
    endedBy ?? "",
    text,
  ]);
  return table(["ID", "REVISION", "ENDED AS", "ENDED", "BY", "TEXT"], rows, run.terminal.columns);
}

function formatOwner({ agent, space }: Pick<api.MemoryView, "agent" | "space">): string {
  return space === null ? (agent ?? "") : `space ${space}`;
}
