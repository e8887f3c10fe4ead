import type { Identity } from "../../call/identity/identity.ts";
import { messageOf } from "../../contract/errors.ts";
import type { Events } from "../../contract/events.ts";
import type { ToolCall, ToolOutcome } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ClosingStack } from "../../lib/flow/closing-stack.ts";
import type { NewId } from "../../lib/id.ts";
import type { Log } from "../../lib/log.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { Sharing } from "../../machine/db/sharing.ts";
import type { Embedder } from "../../machine/text/meaning/embedder.ts";
import { Meanings } from "../../machine/text/meaning/meanings.ts";
import { announcedSync } from "./announced-sync.ts";
import { Inbox } from "./inbox.ts";
import type { KnowledgeReader, KnowledgeSync } from "./knowledge.ts";
import { KnowledgeIndex } from "./knowledge-index.ts";
import { foundMemories } from "./memory/found-memories.ts";
import { Memory } from "./memory/memory.ts";
import type { MemoryStore } from "./memory/memory-store.ts";
import { sourceAnswer } from "./sources/plugin-source.ts";
import { startBackgroundSync } from "./sync/background-sync.ts";
import { SourceSync } from "./sync/source-sync.ts";
import type { SourceTable } from "./tables.ts";

export interface OwnKnowledge {
  readonly memory: Memory;
  readonly knowledge: GatheredKnowledge;
}

/** Documents: searched and read, brought up to date, put in. */
export interface GatheredKnowledge {
  readonly reader: KnowledgeReader;
  readonly sync: KnowledgeSync;
  readonly inbox: Inbox;
  /** Keeps sources up to date in the background, and resumes what an earlier process left undone. Close it before the hub. */
  startBackground(): { close(): Promise<void> };
}

export interface OwnKnowledgeDeps {
  readonly home: string;
  readonly memories: MemoryStore;
  readonly sources: SourceTable;
  readonly sharing: Pick<Sharing, "lead" | "attempt">;
  readonly settings: () => Settings;
  readonly identity: Identity;
  readonly redact: (text: string) => string;
  /** The caller closes it. */
  readonly embedder: Embedder;
  readonly callTool: (call: ToolCall) => Promise<ToolOutcome>;
  readonly events: Events;
  readonly log: Log;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** Nothing is read, started or written before somebody uses it. */
export function openKnowledge(deps: OwnKnowledgeDeps, closing: ClosingStack): OwnKnowledge {
  const { home, memories, sources, sharing, settings, identity, redact } = deps;
  const { embedder, events, log, clock, newId } = deps;
  const { databaseUrl } = settings();
  const isOn = () => settings().memory.embeddings === "auto";
  const meanings = closing.add(new Meanings({ embedder, isOn }));
  const memory = new Memory({
    ...{ store: memories, redact, meanings, clock, newId },
    onChange: (id) => events.emit("memory.changed", { memory: id }),
  });
  const index = closing.add(
    new KnowledgeIndex({
      ...{ home, databaseUrl, embedder, clock, log },
      sources: () => sources.list(),
      isMeaningOn: () => settings().knowledge.embeddings === "auto",
      memory: foundMemories(memory),
      lead: (job, work, signal) => sharing.lead(job, work, signal),
    }),
  );
  const sync = closing.add(
    announcedSync({
      sync: new SourceSync({
        ...{ home, databaseUrl, sources, sharing, counts: () => index.counts(), clock, newId, log },
        embeddingRate: () => index.embedding.rate,
        // Sources of plugins are tools, called as the operator.
        callSourceTool: async (name, args, signal) =>
          sourceAnswer(
            await deps.callTool({
              ...{ name, arguments: args, signal },
              ...{ caller: identity.operatorCaller("sync"), via: "library" },
            }),
          ),
      }),
      events,
      onSynced: () => {
        index.embedding.wake();
        index.sweeping.wake();
      },
    }),
  );
  const inbox = new Inbox({
    ...{ sync, redact, clock },
    onPut: (source) => events.emit("inbox.changed", { source }),
  });
  const resume = async () => {
    if ((await sources.list()).length > 0) index.embedding.wake();
  };
  const startBackground = () => {
    void resume().catch((error: unknown) =>
      log.warn({ cause: messageOf(error) }, "knowledge: background embedding failed to resume"),
    );
    return startBackgroundSync({ home, sources, sharing, sync, settings: () => settings().sync, log });
  };
  return { memory, knowledge: { reader: index.reader, sync, inbox, startBackground } };
}
