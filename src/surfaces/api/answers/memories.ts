import { MEMORY_TYPES } from "../../../machine/db/tables/knowledge/memory-record.ts";
import type * as contract from "../contract.ts";
import * as s from "./shape.ts";

const said = {
  agent: { ...s.orNull(s.text), description: "Whose it is; null: that of a shared space." },
  space: { ...s.orNull(s.text), description: "The shared space it lies in; null: an agent's own." },
  key: { ...s.orNull(s.text), description: "What it is about: its owner has one of each." },
  type: s.anyOfTexts(MEMORY_TYPES),
  text: s.text,
  tags: s.texts,
  metadata: s.anyObject,
  label: { ...s.orNull(s.text), description: "Only who may see the label sees it." },
  writtenBy: { ...s.orNull(s.text), description: "The agent or person that said so." },
  expiresAt: s.orNull(s.time),
  revision: { type: "integer", minimum: 1, description: "Grows with every change." },
  updatedAt: s.time,
};

/** What agents remember. */
export const memoryAnswers = {
  MemoryView: s.shape<contract.MemoryView>({
    id: s.text,
    ...said,
    createdAt: s.time,
    lastUsedAt: { ...s.orNull(s.time), description: "When a recall found it last; null: never." },
  }),
  MemoryList: s.shape<contract.MemoryList>({
    memories: s.listOf(s.ref("MemoryView")),
    total: { ...s.count, description: "How many there are in all." },
  }),
  MemoryAnswer: s.shape<contract.MemoryAnswer>({ memory: s.ref("MemoryView") }),
  MemoryHistory: s.shape<contract.MemoryHistory>({
    versions: s.listOf(
      s.shape<contract.MemoryVersionView>({
        id: s.text,
        memoryId: s.text,
        ...said,
        endedAt: s.time,
        reason: s.anyOfTexts(["superseded", "retracted"]),
        endedBy: s.orNull(s.text),
      }),
    ),
  }),
  MemorySpaces: s.shape<contract.MemorySpaces>({
    spaces: s.listOf(
      s.shape<contract.MemorySpaces["spaces"][number]>({
        name: s.text,
        read: { ...s.texts, description: "Agents that may read it; `*` for anything." },
        write: s.texts,
        memories: s.count,
      }),
    ),
  }),
};
