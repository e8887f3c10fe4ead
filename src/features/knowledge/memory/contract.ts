/** The shapes of memories: what agents remember, and what a memory said before. */

import { z } from "zod";
import { pageQuery } from "../../../contract/define-route.ts";
import { anyObject, count, type Infer, optional, text, time } from "../../../contract/shape.ts";

/** How long a fact may be, and what is kept under a key. */
export const MAX_MEMORY_CHARS = 4_000;
export const MAX_CONTENT_CHARS = 10_000;
export const MEMORY_TYPES = ["note", "fact", "preference", "decision", "event", "procedure"] as const;

const revision = z.int().min(1).describe("Grows with every change.");

/** The content of a memory, in one of its states. */
const memoryContent = z.object({
  key: z
    .string()
    .nullable()
    .describe("What it is about. An owner has one memory for each key and label; null: it has no key."),
  type: z.enum(MEMORY_TYPES),
  text: z.string(),
  tags: z.array(z.string()),
  metadata: anyObject,
  label: z.string().nullable().describe("Only callers that may see the label see it."),
  expiresAt: time.nullable(),
  writtenBy: z
    .string()
    .nullable()
    .describe("The agent or person that said so; null: it is older than this field."),
});
export type MemoryContent = Infer<typeof memoryContent>;
export type MemoryType = MemoryContent["type"];

/** In the order of its columns. */
export const memory = z.object({
  id: z.string(),
  /** The owner: the id of an agent, `operator`, or a shared space (`space:<name>`). */
  agentId: z.string(),
  ...memoryContent.pick({ text: true, tags: true }).shape,
  revision,
  createdAt: time,
  updatedAt: time,
  lastUsedAt: time.nullable().describe("When a recall found it last; null: never."),
  ...memoryContent.shape,
});
export type MemoryRecord = Infer<typeof memory>;

/** An earlier state of a memory. */
export const memoryVersion = z.object({
  id: z.string().describe("MEMORY_ID:REVISION"),
  memoryId: z.string(),
  agentId: z.string(),
  revision,
  ...memoryContent.shape,
  updatedAt: time,
  endedAt: time,
  reason: z
    .enum(["superseded", "retracted"])
    .describe("Superseded: the memory says something else now. Retracted: it is gone."),
  endedBy: z.string().nullable(),
});
export type MemoryVersion = Infer<typeof memoryVersion>;

// Requests

const agent = text(200);
const space = text(40);
const content = {
  text: text(MAX_CONTENT_CHARS),
  tags: z.array(text(50)).max(20),
  type: z.enum(MEMORY_TYPES),
  metadata: anyObject.meta({ maxProperties: 100 }),
};
const label = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,39}$/);
const expiresAt = z.int().min(0);

export const memoryQuery = z.object({ ...optional({ agent, space, text: text(1_000) }), ...pageQuery });
export const retractedQuery = z.object(pageQuery);
/** For an agent or a space; the operator's own where neither is named. */
export const newMemory = z.object({
  ...optional({ agent, space, key: text(200), ...content, label, expiresAt }),
  text: content.text,
});
/** Given values replace the old ones; null removes. */
export const memoryEdit = z.object(
  optional({ ...content, label: label.nullable(), expiresAt: expiresAt.nullable() }),
);

export type NewMemory = Infer<typeof newMemory>;
export type MemoryEdit = Infer<typeof memoryEdit>;

// Answers: explicit picks, so that nothing of a record slips out.

const owner = {
  agent: z.string().nullable().describe("The agent that owns it; null: it is in a shared space."),
  space: z.string().nullable().describe("The shared space it is in; null: an agent owns it."),
};
const SAID = {
  key: true,
  type: true,
  text: true,
  tags: true,
  metadata: true,
  label: true,
  expiresAt: true,
  writtenBy: true,
  revision: true,
  updatedAt: true,
} as const;

export const memoryView = z
  .object({
    ...memory.pick({ id: true, ...SAID, createdAt: true, lastUsedAt: true }).shape,
    ...owner,
  })
  .meta({ id: "MemoryView" });
export const memoryVersionView = z.object({
  ...memoryVersion.pick({ id: true, memoryId: true, ...SAID, endedAt: true, reason: true, endedBy: true })
    .shape,
  ...owner,
});
export const memoryList = z
  .object({
    memories: z.array(memoryView),
    total: count.describe("How many there are in all; with a text, how many were found on this page."),
  })
  .meta({ id: "MemoryList" });
export const memoryAnswer = z.object({ memory: memoryView }).meta({ id: "MemoryAnswer" });
export const memoryHistory = z
  .object({ versions: z.array(memoryVersionView).describe("Newest first.") })
  .meta({ id: "MemoryHistory" });
export const memorySpaces = z
  .object({
    spaces: z.array(
      z.object({
        name: z.string(),
        read: z.array(z.string()).describe("Agents that may read it; `*` for anything."),
        write: z.array(z.string()),
        memories: count,
      }),
    ),
  })
  .meta({ id: "MemorySpaces" });

export type MemoryView = Infer<typeof memoryView>;
export type MemoryVersionView = Infer<typeof memoryVersionView>;
export type MemoryList = Infer<typeof memoryList>;
export type MemoryAnswer = Infer<typeof memoryAnswer>;
export type MemoryHistory = Infer<typeof memoryHistory>;
export type MemorySpaces = Infer<typeof memorySpaces>;
