import { failed, output } from "../../../contract/define-tool.ts";
import type { JsonSchema, Tool } from "../../../contract/tool.ts";
import type { Result } from "../../../lib/result.ts";
import { err, ok } from "../../../lib/result.ts";
import { canSee } from "../access.ts";
import type { MemoryType } from "../memory/contract.ts";
import { MAX_CONTENT_CHARS } from "../memory/contract.ts";
import { snippetOf } from "../memory/snippet.ts";
import { ownersRead, ownerWritten } from "../memory/spaces.ts";
import { line, shownContext, shownVersion } from "./memory-result.ts";
import {
  type MemoryToolsDeps,
  memoryTool,
  notWritable,
  renderRemembered,
  SPACE,
  TYPE,
} from "./memory-tool.ts";

const DAY_MS = 86_400_000;
const MAX_TTL_DAYS = 3_650;
const MAX_KEY_CHARS = 200;
const MAX_TAGS = 20;
const MAX_TAG_CHARS = 50;
const DEFAULT_FOUND = 20;
const MAX_FOUND = 50;

/** Tools for memories with keys, with the parameters of version 003 followed by newer ones. */
export function createMemoryTools(deps: MemoryToolsDeps): readonly Tool[] {
  return [getTool(deps), putTool(deps), searchTool(deps)];
}

function getTool({ memory, reachOf }: MemoryToolsDeps): Tool {
  return memoryTool<{
    readonly id?: string;
    readonly key?: string;
    readonly space?: string;
    readonly history?: boolean;
  }>({
    name: "memory_get",
    title: "Get a memory",
    description: "Retrieve stored context by key or id",
    properties: {
      id: { type: "string", description: "Memory id" },
      key: { type: "string", description: "Memory key" },
      space: { ...SPACE, description: "Only there: own, or the name of a space that agents share." },
      history: { type: "boolean", description: "Also what it said before, newest first." },
    },
    required: [],
    flags: { readOnly: true, concurrencySafe: true },
    scope: "memory.read",
    async run({ id, key, space, history = false }, { caller }) {
      if (id === undefined && key === undefined) return failed("Expected an id or a key; got neither.");
      const reach = reachOf(caller);
      const owners = ownersRead(reach, space);
      const found = await memory.get(owners, id === undefined ? { key: key! } : { id }, reach.access);
      if (!found) {
        const sought = id === undefined ? `the key ${JSON.stringify(key)}` : `the id ${JSON.stringify(id)}`;
        return output(`Nothing is kept under ${sought}. memory_search finds by words.`, { memory: null });
      }
      const before = history ? await memory.history(owners, found.id, reach.access) : [];
      return output(
        [line(found), ...before.map(({ text }) => `before: ${text}`)].join("\n"),
        { memory: shownContext(found), ...(history && { history: before.map(shownVersion) }) },
        { gave: [found.id] },
      );
    },
  });
}

interface Put {
  readonly key: string;
  readonly content: string;
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly ttl_days?: number;
  readonly expires_at?: string;
  readonly type?: MemoryType;
  readonly space?: string;
  readonly label?: string;
}

function putTool({ memory, reachOf, clock }: MemoryToolsDeps): Tool {
  return memoryTool<Put>({
    name: "memory_put",
    title: "Put a memory",
    description: "Store context for later retrieval",
    properties: {
      key: { type: "string", description: "Memory key" },
      content: { type: "string", description: "Content to store" },
      tags: { type: "array", items: { type: "string" }, description: "Optional tags for categorization" },
      metadata: { type: "object", description: "Optional metadata" },
      ttl_days: { type: "integer", description: "Optional TTL in days" },
      expires_at: { type: "string", description: "Optional ISO timestamp" },
      type: TYPE,
      space: SPACE,
      label: {
        type: "string",
        description: "Only for those who may see this label; one that you may see yourself.",
      },
    },
    required: ["key", "content"],
    scope: "memory.write",
    async run(args, { caller }) {
      const { key, content, tags = [], metadata, type, space, label } = args;
      const reach = reachOf(caller);
      const problem = problemWith(args);
      if (problem) return failed(problem);
      const expiresAt = expiryOf(args, clock());
      if (!expiresAt.ok) return failed(expiresAt.error);
      const owner = ownerWritten(reach, space);
      if (owner === undefined) return notWritable(space!, reach);
      if (label !== undefined && !canSee(reach.access, label))
        return failed(`You may not use the label ${JSON.stringify(label)}: your token does not have it.`);
      const input = {
        text: content,
        tags,
        key,
        ...(metadata && { metadata }),
        ...(type && { type }),
        ...(label !== undefined && { label }),
        ...(expiresAt.value !== undefined && { expiresAt: expiresAt.value }),
      };
      return renderRemembered("Stored", await memory.remember(owner, input, reach), shownContext);
    },
  });
}

const QUERY: JsonSchema = {
  type: "string",
  minLength: 1,
  maxLength: 1_000,
  description: "What you want to know, in a few words.",
};

function searchTool({ memory, reachOf }: MemoryToolsDeps): Tool {
  return memoryTool<{
    readonly query: string;
    readonly limit?: number;
    readonly tags?: readonly string[];
    readonly type?: MemoryType;
    readonly space?: string;
  }>({
    name: "memory_search",
    title: "Search memories",
    description: "Search memory by words and by meaning, best first",
    properties: {
      query: QUERY,
      limit: { type: "integer", default: DEFAULT_FOUND, maximum: MAX_FOUND, description: "Maximum results" },
      tags: { type: "array", items: { type: "string" }, description: "Only what has all of these tags" },
      type: { ...TYPE, description: "Only this kind of thing." },
      space: { ...SPACE, description: "Only there: own, or the name of a space that agents share." },
    },
    required: ["query"],
    flags: { readOnly: true, concurrencySafe: true },
    scope: "memory.read",
    async run({ query, limit = DEFAULT_FOUND, tags, type, space }, { caller }) {
      const reach = reachOf(caller);
      const found = await memory.find(ownersRead(reach, space), {
        query,
        ...(tags && { tags }),
        ...(type && { types: [type] }),
        limit: Math.max(1, limit),
        access: reach.access,
      });
      const results = found.map(({ memory: record, score }) => {
        const { content, ...rest } = shownContext(record);
        return { ...rest, snippet: snippetOf(content, query).snippet, score: rounded(score) };
      });
      const said = found.map(({ memory: record }) =>
        line({ ...record, text: snippetOf(record.text, query).snippet }),
      );
      const text = said.join("\n") || "Nothing is kept about that. Try other words or fewer tags.";
      return output(text, { results }, { gave: found.map(({ memory: record }) => record.id) });
    },
  });
}

/** Says what is wrong with the content; undefined if nothing is. */
function problemWith({ key, content, tags = [] }: Put): string | undefined {
  if (key.trim() === "") return "Expected a key; got only spaces.";
  if (key.length > MAX_KEY_CHARS)
    return `A key may have ${MAX_KEY_CHARS} characters at most; this one has ${key.length}.`;
  if (content.trim() === "") return "Expected content; got only spaces.";
  if (content.length > MAX_CONTENT_CHARS)
    return `Content may have ${MAX_CONTENT_CHARS} characters at most; this has ${content.length}. Keep documents with inbox_put.`;
  if (tags.length > MAX_TAGS || tags.some((tag) => tag.length > MAX_TAG_CHARS))
    return `Expected at most ${MAX_TAGS} tags of at most ${MAX_TAG_CHARS} characters.`;
  return undefined;
}

/** The earliest of the given times of expiry; undefined: never. */
function expiryOf({ ttl_days, expires_at }: Put, now: number): Result<number | undefined, string> {
  const ends: number[] = [];
  if (ttl_days !== undefined) {
    if (ttl_days < 1 || ttl_days > MAX_TTL_DAYS)
      return err(`ttl_days has to be from 1 to ${MAX_TTL_DAYS}; it is ${ttl_days}.`);
    ends.push(now + ttl_days * DAY_MS);
  }
  if (expires_at !== undefined) {
    const at = Date.parse(expires_at);
    if (!/^\d{4}-\d\d-\d\d/.test(expires_at) || Number.isNaN(at))
      return err("expires_at has to be an ISO time such as 2027-01-31T12:00:00Z.");
    if (at <= now) return err("expires_at is over already; leave it out, or name a time to come.");
    ends.push(at);
  }
  return ok(ends.length === 0 ? undefined : Math.min(...ends));
}

function rounded(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}
