import { MEMORY_TYPES } from "../../../machine/db/tables/knowledge/memory-record.ts";
import type * as contract from "../contract.ts";
import { anyObject, anyOfTexts, count, listOf, orNull, ref, shape, text, texts, time } from "./shape.ts";

const said = {
  agent: { ...orNull(text), description: "Whose it is; null: that of a shared space." },
  space: { ...orNull(text), description: "The shared space it lies in; null: an agent's own." },
  key: { ...orNull(text), description: "What it is about: its owner has one of each." },
  type: anyOfTexts(MEMORY_TYPES),
  text,
  tags: texts,
  metadata: anyObject,
  label: { ...orNull(text), description: "Only who may see the label sees it." },
  writtenBy: { ...orNull(text), description: "The agent or person that said so." },
  expiresAt: orNull(time),
  revision: { type: "integer", minimum: 1, description: "Grows with every change." },
  updatedAt: time,
};

/** What agents remember. */
export const memoryAnswers = {
  MemoryView: shape<contract.MemoryView>({
    id: text,
    ...said,
    createdAt: time,
    lastUsedAt: { ...orNull(time), description: "When a recall found it last; null: never." },
  }),
  MemoryList: shape<contract.MemoryList>({
    memories: listOf(ref("MemoryView")),
    total: { ...count, description: "How many there are in all." },
  }),
  MemoryAnswer: shape<contract.MemoryAnswer>({ memory: ref("MemoryView") }),
  MemoryHistory: shape<contract.MemoryHistory>({
    versions: listOf(
      shape<contract.MemoryVersionView>({
        id: text,
        memoryId: text,
        ...said,
        endedAt: time,
        reason: anyOfTexts(["superseded", "retracted"]),
        endedBy: orNull(text),
      }),
    ),
  }),
  MemorySpaces: shape<contract.MemorySpaces>({
    spaces: listOf(
      shape<contract.MemorySpaces["spaces"][number]>({
        name: text,
        read: { ...texts, description: "Agents that may read it; `*` for anything." },
        write: texts,
        memories: count,
      }),
    ),
  }),
};
