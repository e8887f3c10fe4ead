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

interface Whose {
  readonly agent?: string;
  readonly space?: string;
}

interface PutOptions extends Whose {
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
  const memory = shell.group("memory", "what agents remember from one conversation to the next");

  pageOptions(whose(memory.leaf("list", "list the memories, newest first", listMemories, "--agent main")));
  whose(
    memory.leaf("search <words...>", "search the memories, best first", searchMemories, "tabs or spaces"),
  ).option("--limit <count>", "how many at most; 100 unless given");
  memory.leaf("show <id>", "show a memory whole", showMemory, "mem_…");
  memory.leaf("history <id>", "show what a memory said before, newest first", showHistory, "mem_…");
  memory.leaf("spaces", "list the spaces that agents share", listSpaces);
  pageOptions(memory.leaf("retracted", "list what was taken back, newest first", listRetracted));
  whose(
    memory.leaf(
      "put <text>",
      "remember something; - reads it from standard input",
      putMemory,
      "'We deploy on Fridays.' --space shared --key deploy.day",
      "'Prefers tabs.' --agent main --type preference",
    ),
  )
    .option("--key <key>", "what it is about: takes the place of what is there for it")
    .option("--tag <tag>", "to find it again (repeatable)", collect, [])
    .option("--type <type>", "note, fact, preference, decision, event or procedure")
    .option("--label <label>", "only for those who may see this label")
    .option("--expires <duration>", "let it end after 30d, 12h …");
  memory
    .leaf(
      "edit <id>",
      "change a memory; what it said before is kept",
      editMemory,
      "mem_… --text 'We deploy on Mondays.'",
    )
    .option("--text <text>", "what it says; - reads it from standard input")
    .option("--tag <tag>", "in the place of its tags (repeatable)", collect, [])
    .option("--type <type>", "note, fact, preference, decision, event or procedure")
    .option("--label <label>", "only for those who may see this label")
    .option("--no-label", "for everybody who may see its owner's")
    .option("--expires <duration>", "let it end after 30d, 12h …")
    .option("--no-expires", "let it stay");
  memory.leaf("retract <id>", "take a memory back; what it said is kept as history", retractMemory, "mem_…");
  destructive(
    memory,
    "forget <id>",
    "delete a memory for good, with its history",
    (id) => `Delete memory ${id} and its history for good?`,
    forgetMemory,
    "mem_…",
  );
  return memory;
}

function whose(command: Command): Command {
  return command
    .option("--agent <name>", "only those of this agent; those of a sub-agent are its parent's")
    .option("--space <name>", "only those of this space that agents share");
}

async function listMemories(run: Run, options: PageOptions & Whose): Promise<undefined> {
  const { agent, space, limit, offset } = options;
  const answer = await run.get<api.MemoryList>(`/api/memories${query({ agent, space, limit, offset })}`);
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
  { agent, space, limit }: Whose & { limit?: string },
): Promise<undefined> {
  const answer = await run.get<api.MemoryList>(
    `/api/memories${query({ text: words.join(" "), agent, space, limit })}`,
  );
  run.print(
    answer,
    answer.memories.length === 0
      ? "Nothing is remembered about that. Try other words, or toolkeep memory list.\n"
      : shown(run, answer),
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
      ["of", ownerOf(memory)],
      ["key", memory.key],
      ["type", memory.type],
      ["tags", memory.tags.join(", ")],
      ["label", memory.label],
      ["said by", memory.writtenBy],
      ["changed", `${ago(memory.updatedAt, now)}, revision ${memory.revision}`],
      ["used", ago(memory.lastUsedAt, now)],
      ["expires", memory.expiresAt && new Date(memory.expiresAt).toISOString()],
      ["metadata", Object.keys(memory.metadata).length === 0 ? null : JSON.stringify(memory.metadata)],
    ]) + texts("text:", [memory.text]),
  );
}

async function showHistory(run: Run, id: string): Promise<undefined> {
  const answer = await run.get<api.MemoryHistory>(path`/api/memories/${id}/history`);
  run.print(answer, answer.versions.length === 0 ? "It never said anything else.\n" : versions(run, answer));
}

async function listRetracted(run: Run, { limit, offset }: PageOptions): Promise<undefined> {
  const answer = await run.get<api.MemoryHistory>(`/api/memories/retracted${query({ limit, offset })}`);
  run.print(answer, answer.versions.length === 0 ? "Nothing was taken back.\n" : versions(run, answer));
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
  run.print(answer, `Remembered as ${answer.memory.id}.\n`);
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
    throw new ToolkeepError("BAD_USAGE", "nothing to change was given; say what is to be different");
  const answer = await run.send<api.MemoryAnswer>("PATCH", path`/api/memories/${id}`, body);
  run.print(answer, `Changed ${id}, now revision ${answer.memory.revision}.\n`);
}

async function retractMemory(run: Run, id: string): Promise<undefined> {
  const done = await run.send<api.Done>("POST", path`/api/memories/${id}/retract`);
  run.print(done, `Took ${id} back. What it said: toolkeep memory history ${id}\n`);
}

async function forgetMemory(run: Run, id: string): Promise<undefined> {
  run.print(await run.send<api.Done>("DELETE", path`/api/memories/${id}`), `Forgot ${id}.\n`);
}

function shown(run: Run, { memories }: api.MemoryList): string {
  const now = Date.now();
  // Most have none, and a terminal is narrow.
  const isKeyed = memories.some(({ key }) => key !== null);
  const isLabelled = memories.some(({ label }) => label !== null);
  const rows = memories.map((memory) => [
    memory.id,
    ownerOf(memory),
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

function versions(run: Run, { versions: said }: api.MemoryHistory): string {
  const now = Date.now();
  const rows = said.map(({ memoryId, revision, reason, endedAt, endedBy, text }) => [
    memoryId,
    revision,
    reason,
    ago(endedAt, now),
    endedBy ?? "",
    text,
  ]);
  return table(["ID", "REVISION", "ENDED AS", "ENDED", "BY", "TEXT"], rows, run.terminal.columns);
}

function ownerOf({ agent, space }: Pick<api.MemoryView, "agent" | "space">): string {
  return space === null ? (agent ?? "") : `space ${space}`;
}
