import { failed, output } from "../../../contract/define-tool.ts";
import type { JsonSchema, Tool, ToolResult } from "../../../contract/tool.ts";
import type { MemoryType } from "../memory/contract.ts";
import { MAX_MEMORY_CHARS } from "../memory/contract.ts";
import { ownerOfSpace, ownersRead, ownerWritten, type Reach } from "../memory/spaces.ts";
import { line, shownMemory } from "./memory-result.ts";
import {
  type MemoryToolsDeps,
  memoryTool,
  notWritable,
  renderRemembered,
  SPACE,
  TYPE,
} from "./memory-tool.ts";

const DEFAULT_RECALLED = 8;
const MAX_RECALLED = 50;
const DAY_MS = 86_400_000;

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

/** Tools for facts that agents remember between conversations. A sub-agent uses the memory of the agent it works for. */
export function createRecallTools(deps: MemoryToolsDeps): readonly Tool[] {
  return [recallTool(deps), memorizeTool(deps), updateTool(deps), forgetTool(deps)];
}

function recallTool({ memory, reachOf }: MemoryToolsDeps): Tool {
  return memoryTool<{
    readonly query?: string;
    readonly tags?: readonly string[];
    readonly type?: MemoryType;
    readonly space?: string;
    readonly limit?: number;
  }>({
    name: "recall",
    title: "Recall memories",
    description:
      "Search what you memorized in earlier conversations, and what agents share. Ranked by the words of the query and their meaning, best first; with tags only those that have all of them. " +
      "Give a query, tags, or both.",
    properties: {
      query: {
        type: "string",
        minLength: 1,
        maxLength: 1_000,
        description: "What you want to know, in a few words.",
      },
      tags: TAGS,
      type: { ...TYPE, description: "Only this kind of thing." },
      space: { ...SPACE, description: "Only there: own, or the name of a space that agents share." },
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
    async run({ query, tags, type, space, limit = DEFAULT_RECALLED }, { caller }) {
      if (query === undefined && !tags?.length)
        return failed("Expected a query, tags or both; got neither. Say what you look for.");
      const reach = reachOf(caller);
      const found = await memory.recall(ownersRead(reach, space), {
        ...(query !== undefined && { query }),
        ...(tags && { tags }),
        ...(type && { types: [type] }),
        limit,
        access: reach.access,
      });
      const shown = found.map(shownMemory);
      if (shown.length === 0)
        return output("Nothing is remembered about that. Try other words or fewer tags.", {
          memories: shown,
        });
      const gave = found.map(({ id }) => id);
      return output(found.map(line).join("\n"), { memories: shown }, { gave });
    },
  });
}

function memorizeTool({ memory, reachOf, clock }: MemoryToolsDeps): Tool {
  return memoryTool<{
    readonly text: string;
    readonly tags?: readonly string[];
    readonly type?: MemoryType;
    readonly key?: string;
    readonly space?: string;
    readonly ttl_days?: number;
  }>({
    name: "memorize",
    title: "Memorize something",
    description:
      "Keep something for later conversations: a decision, a preference, how something works. Not for secrets, which are taken out, and not for what is in a file anyway. " +
      "When something similar is known you are told; then update_memory is often better.",
    properties: {
      text: TEXT,
      tags: TAGS,
      type: TYPE,
      key: {
        type: "string",
        minLength: 1,
        maxLength: 200,
        description:
          "A name for what it is about, such as user.editor: it takes the place of what you remember under it.",
      },
      space: SPACE,
      ttl_days: { type: "integer", minimum: 1, maximum: 3_650, description: "Forget it after so many days." },
    },
    required: ["text"],
    scope: "memory.write",
    async run({ text, tags = [], type, key, space, ttl_days }, { caller }) {
      if (text.trim() === "") return failed("Expected a text; got only spaces.");
      const reach = reachOf(caller);
      const owner = ownerWritten(reach, space);
      if (owner === undefined) return notWritable(space!, reach);
      const input = {
        text,
        tags,
        ...(type && { type }),
        ...(key !== undefined && { key }),
        ...(ttl_days !== undefined && { expiresAt: clock() + ttl_days * DAY_MS }),
      };
      return renderRemembered("Memorized", await memory.remember(owner, input, reach));
    },
  });
}

function updateTool({ memory, reachOf }: MemoryToolsDeps): Tool {
  return memoryTool<{
    readonly id: string;
    readonly text?: string;
    readonly tags?: readonly string[];
    readonly type?: MemoryType;
    readonly retract?: boolean;
  }>({
    name: "update_memory",
    title: "Update a memory",
    description:
      "Replace the text or the tags of a memory that is no longer right. What is not given stays; what it said before is kept as history.",
    properties: {
      id: ID,
      text: TEXT,
      tags: TAGS,
      type: { ...TYPE, description: "What kind of thing it is." },
      retract: {
        type: "boolean",
        description: "True: it holds no more and nothing takes its place. People still see what it said.",
      },
    },
    required: ["id"],
    flags: { destructive: true },
    scope: "memory.write",
    async run({ id, retract = false, ...change }, { caller }) {
      const reach = reachOf(caller);
      if (retract) {
        const taken = await inOwner(reach, (owner) => memory.retract(owner, id, reach));
        return taken ? output(`Retracted ${id}.`, { id, retracted: true }) : unknown(id);
      }
      if (change.text === undefined && !change.tags && change.type === undefined)
        return failed("Expected text, tags or both; got neither.");
      if (change.text?.trim() === "") return failed("Expected a text; got only spaces.");
      const updated = await inOwner(reach, (owner) => memory.update(owner, id, change, reach));
      return updated ? renderRemembered("Updated", updated) : unknown(id);
    },
  });
}

function forgetTool({ memory, reachOf }: MemoryToolsDeps): Tool {
  return memoryTool<{ readonly id: string }>({
    name: "forget",
    title: "Forget a memory",
    description:
      "Delete a memory for good, with what it said before, because it is wrong or no longer of use.",
    properties: { id: ID },
    required: ["id"],
    flags: { destructive: true },
    scope: "memory.write",
    async run({ id }, { caller }) {
      const reach = reachOf(caller);
      const forgotten = await inOwner(reach, (owner) => memory.forget(owner, id, reach));
      return forgotten ? output(`Forgot ${id}.`, { id, forgotten: true }) : unknown(id);
    },
  });
}

/** Tries each owner that the caller may write to; undefined if none has the memory. */
async function inOwner<T>(
  { own, write }: Reach,
  change: (owner: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const owner of [own, ...write.map(ownerOfSpace)]) {
    const done = await change(owner);
    if (done !== undefined) return done;
  }
  return undefined;
}

function unknown(id: string): ToolResult {
  return failed(`You have no memory ${JSON.stringify(id)}. recall shows the ids of what you remember.`);
}
