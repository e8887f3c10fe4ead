/** The settings of memory, of knowledge and of who may see what: part of the table in `schema.ts`. */
import { z } from "zod";
import { text, yesOrNo } from "../document/expectation.ts";
import { setting } from "../setting.ts";

export const MEMORY_SETTINGS = {
  "memory.spaces": setting(spaces(), {
    default: { shared: { read: ["*"], write: [] } },
    project: "never",
    description:
      'Memories that agents share, by name, and the agents that may read and write each, `*` for anything: `{"team": {"read": ["*"], "write": ["main"]}}`. People may always.',
  }),
  "memory.embeddings": setting(z.union([z.literal("auto"), z.literal(false)], '"auto" or false'), {
    default: "auto",
    project: { only: false },
    description:
      "Whether memories are found by what they mean, too: `auto` where the model can run, else by their words alone.",
  }),
  "knowledge.labels": setting(labels(), {
    default: {},
    project: "never",
    description:
      'Which agents see what bears a label, where their token has no scopes of its own, `*` for anything: `{"private": ["main"]}`.',
  }),
  "knowledge.embeddings": setting(z.union([z.literal("auto"), z.literal(false)], '"auto" or false'), {
    default: "auto",
    project: { only: false },
    description:
      "Whether documents are found by what they mean, too: `auto` where the model can run, else by their words alone.",
  }),
  "stdio.writes": setting(yesOrNo(), {
    default: true,
    env: "TOOLKEEP_STDIO_WRITES",
    project: { only: false },
    description:
      "Whether clients on `toolkeep stdio` have the tools that write. `false` leaves out what changes memories, the inbox, files or settings, runs commands or starts syncs; `sync_status` stays.",
  }),
} as const;

function agentNames() {
  const expected = "a list of at most 200 names of agents, with * for anything";
  return z
    .array(text("the name of an agent, with * for anything", 200), expected)
    .max(200, expected)
    .readonly();
}

function spaces() {
  const expected = "spaces by name (lower case, digits, - and _), each with read and write";
  const space = z.strictObject(
    { read: agentNames().default(["*"]), write: agentNames().default([]) },
    expected,
  );
  return byName(space, expected, 50);
}

function labels() {
  return byName(
    agentNames(),
    "labels by name (lower case, digits, - and _), each with a list of agents",
    100,
  );
}

function byName<V extends z.ZodType>(value: V, expected: string, most: number) {
  return z
    .record(z.string(expected).regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, expected), value, expected)
    .refine((entries) => Object.keys(entries).length <= most, `at most ${most}`)
    .readonly();
}
