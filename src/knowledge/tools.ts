import { type Definition, failed, output, toolOf } from "../define-tool.ts";
import { ToolkeepError } from "../errors.ts";
import type { MemoryRecord } from "../store/memory-record.ts";
import type { Caller, JsonSchema, Tool, ToolResult, ToolSource } from "../tool.ts";
import { MAX_MEMORY_CHARS, type Memory, type Remembered } from "./memory.ts";

export interface MemoryToolsDeps {
  readonly memory: Pick<Memory, "remember" | "recall" | "update" | "forget">;
  /** Whose memory a caller uses: its own, or that of the agent it works for. */
  readonly ownerOf: (caller: Caller) => string;
}

const DEFAULT_RECALLED = 8;
const MAX_RECALLED = 50;
const MAX_SHOWN_SIMILAR = 200;

const TEXT: JsonSchema = {
  type: "string",
  minLength: 1,
  maxLength: MAX_MEMORY_CHARS,
  description: "One fact or preference that still makes sense on its own in a month.",
};
const TAGS: JsonSchema = {
  type: "array",
  maxItems: 10,
  items: { type: "string", minLength: 1, maxLength: 50 },
  description: "What it is about, to find it again: a project, a person, a kind.",
};
const ID: JsonSchema = { type: "string", minLength: 1, maxLength: 100, description: "Its id, such as mem_…" };

/** What agents remember from one conversation to the next. A sub-agent uses the memory of the agent it works for. */
export function createMemoryTools(deps: MemoryToolsDeps): ToolSource {
  const tools = [recallTool(deps), memorizeTool(deps), updateTool(deps), forgetTool(deps)];
  return { name: "memory", tools: () => tools, onChange: () => () => {} };
}

function recallTool({ memory, ownerOf }: MemoryToolsDeps): Tool {
  return memoryTool<{ readonly query?: string; readonly tags?: readonly string[]; readonly limit?: number }>({
    name: "recall",
    title: "Recall memories",
    description:
      "Search what you memorized in earlier conversations. Ranked by the words of the query, best first; with tags only those that have all of them. " +
      "Give a query, tags, or both.",
    properties: {
      query: {
        type: "string",
        minLength: 1,
        maxLength: 1_000,
        description: "What you want to know, in a few words.",
      },
      tags: TAGS,
      limit: {
        type: "integer",
        minimum: 1,
        maximum: MAX_RECALLED,
        description: `How many at most. Default ${DEFAULT_RECALLED}.`,
      },
    },
    required: [],
    flags: { readOnly: true, concurrencySafe: true },
    scope: "memory.read",
    async run({ query, tags, limit = DEFAULT_RECALLED }, { caller }) {
      if (query === undefined && !tags?.length)
        return failed("Expected a query, tags or both; got neither. Say what you look for.");
      const found = await memory.recall(ownerOf(caller), {
        ...(query !== undefined && { query }),
        ...(tags && { tags }),
        limit,
      });
      const shown = found.map(shownMemory);
      if (shown.length === 0)
        return output("Nothing is remembered about that. Try other words or fewer tags.", {
          memories: shown,
        });
      return output(found.map(line).join("\n"), { memories: shown });
    },
  });
}

function memorizeTool({ memory, ownerOf }: MemoryToolsDeps): Tool {
  return memoryTool<{ readonly text: string; readonly tags?: readonly string[] }>({
    name: "memorize",
    title: "Memorize something",
    description:
      "Keep something for later conversations: a decision, a preference, how something works. Not for secrets, which are taken out, and not for what is in a file anyway. " +
      "When something similar is known you are told; then update_memory is often better.",
    properties: { text: TEXT, tags: TAGS },
    required: ["text"],
    scope: "memory.write",
    async run({ text, tags = [] }, { caller }) {
      if (text.trim() === "") return failed("Expected a text; got only spaces.");
      return told("Memorized", await memory.remember(ownerOf(caller), { text, tags }));
    },
  });
}

function updateTool({ memory, ownerOf }: MemoryToolsDeps): Tool {
  return memoryTool<{ readonly id: string; readonly text?: string; readonly tags?: readonly string[] }>({
    name: "update_memory",
    title: "Update a memory",
    description: "Replace the text or the tags of a memory that is no longer right. What is not given stays.",
    properties: { id: ID, text: TEXT, tags: TAGS },
    required: ["id"],
    flags: { destructive: true },
    scope: "memory.write",
    async run({ id, ...change }, { caller }) {
      if (change.text === undefined && !change.tags)
        return failed("Expected text, tags or both; got neither.");
      if (change.text?.trim() === "") return failed("Expected a text; got only spaces.");
      const updated = await memory.update(ownerOf(caller), id, change);
      return updated ? told("Updated", updated) : unknown(id);
    },
  });
}

function forgetTool({ memory, ownerOf }: MemoryToolsDeps): Tool {
  return memoryTool<{ readonly id: string }>({
    name: "forget",
    title: "Forget a memory",
    description: "Delete a memory for good, because it is wrong or no longer of use.",
    properties: { id: ID },
    required: ["id"],
    flags: { destructive: true },
    scope: "memory.write",
    async run({ id }, { caller }) {
      const forgotten = await memory.forget(ownerOf(caller), id);
      return forgotten ? output(`Forgot ${id}.`, { id, forgotten: true }) : unknown(id);
    },
  });
}

/** Given by a toolbox, `*` among them. */
function memoryTool<Args extends object>(definition: Omit<Definition<Args>, "domain">): Tool {
  return toolOf<Args>(
    { ...definition, domain: "memory" },
    { origin: "native", floor: false, wildcard: true },
    // Somebody else forgot it in the same moment.
    (thrown) => (thrown instanceof ToolkeepError && thrown.status < 500 ? thrown.message : undefined),
  );
}

function told(what: "Memorized" | "Updated", remembered: Remembered): ToolResult {
  switch (remembered.kind) {
    case "full":
      return failed(
        `You remember ${remembered.limit} things, which is the most. Forget or update some that are no longer of use first.`,
      );
    case "known":
      return output(`You know this already, as ${remembered.memory.id}.`, {
        memory: shownMemory(remembered.memory),
        known: true,
      });
    case "kept": {
      const { memory, redacted, similar } = remembered;
      const notes = [
        `${what} as ${memory.id}.`,
        ...(redacted ? ["A secret was taken out of it: keep secrets with set_secret or prompt_secret."] : []),
        ...(similar.length === 0 ? [] : ["Something similar is known already:", ...similar.map(shortLine)]),
      ];
      return output(notes.join("\n"), {
        memory: shownMemory(memory),
        redacted,
        similar: similar.map(shownMemory),
      });
    }
  }
}

function unknown(id: string): ToolResult {
  return failed(`You have no memory ${JSON.stringify(id)}. recall shows the ids of what you remember.`);
}

function line({ id, text, tags, updatedAt }: MemoryRecord): string {
  const about = tags.length === 0 ? "" : `, ${tags.join(", ")}`;
  return `${id} (${new Date(updatedAt).toISOString().slice(0, 10)}${about}): ${text}`;
}

function shortLine(memory: MemoryRecord): string {
  const shown = line(memory);
  return shown.length <= MAX_SHOWN_SIMILAR ? shown : `${shown.slice(0, MAX_SHOWN_SIMILAR)}…`;
}

function shownMemory({ id, text, tags, createdAt, updatedAt }: MemoryRecord) {
  return {
    id,
    text,
    tags,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  };
}
