import { secretsNamedIn } from "../../call/vault/placeholder.ts";
import type { Vault } from "../../call/vault/vault.ts";
import type { Events } from "../../contract/events.ts";
import type { ToolCall, ToolOutcome } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ClosingStack } from "../../lib/flow/closing-stack.ts";
import type { NewId } from "../../lib/id.ts";
import type { Log } from "../../lib/log.ts";
import { ok } from "../../lib/result.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { Store } from "../../machine/db/store.ts";
import { createEmbedder } from "../../machine/text/meaning/create-embedder.ts";
import type { Embedder } from "../../machine/text/meaning/embedder.ts";
import { Meanings } from "../../machine/text/meaning/meanings.ts";
import { announcedSync } from "./announced-sync.ts";
import { Inbox } from "./inbox.ts";
import type { KnowledgeReader, KnowledgeSync } from "./knowledge.ts";
import { KnowledgeIndex } from "./knowledge-index.ts";
import { foundMemories } from "./memory/found-memories.ts";
import { Memory } from "./memory/memory.ts";
import { sourceAnswer } from "./sources/plugin-source.ts";
import { SourceSync } from "./sync/source-sync.ts";

/** What agents remember and what was gathered for them. */
export interface OwnKnowledge {
  /** Whoever uses it last closes it. */
  readonly embedder: Embedder;
  readonly memory: Memory;
  readonly knowledge: GatheredKnowledge;
}

/** What was gathered: searched and read, brought up to date, put in. */
export interface GatheredKnowledge {
  readonly reader: KnowledgeReader;
  readonly sync: KnowledgeSync;
  readonly inbox: Inbox;
  /** Goes on in the background with what an earlier process left undone. */
  resume(): Promise<void>;
}

export interface OwnKnowledgeDeps {
  readonly home: string;
  readonly store: Store;
  readonly settings: () => Settings;
  readonly redact: (text: string) => string;
  readonly vault: Pick<Vault, "fill" | "conceal">;
  /** How tools of plugins are called that are sources. */
  readonly callTool: (call: Pick<ToolCall, "name" | "arguments" | "signal">) => Promise<ToolOutcome>;
  readonly events: Events;
  readonly log: Log;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** Nothing is read, started or written before somebody uses it. */
export function openKnowledge(deps: OwnKnowledgeDeps, closing: ClosingStack): OwnKnowledge {
  const { home, store, settings, redact, events, log, clock, newId } = deps;
  const { databaseUrl } = settings();
  const embedder = createEmbedder({
    ...{ home, settings: settings().embeddings, store: store.embeddings, clock, log },
    key: () => embeddingKey(settings(), deps.vault),
  });
  const isMeant = () => settings().memory.embeddings === "auto";
  const meanings = closing.add(new Meanings({ embedder, isOn: isMeant }));
  const memory = new Memory({
    ...{ store: store.memories, redact, meanings, clock, newId },
    onChange: (id) => events.emit("memory.changed", { memory: id }),
  });
  const index = closing.add(
    new KnowledgeIndex({
      ...{ home, databaseUrl, embedder, clock, log },
      sources: () => store.sources.list(),
      isMeaningOn: () => settings().knowledge.embeddings === "auto",
      memory: foundMemories(memory),
      lead: (job, work, signal) => store.lead(job, work, signal),
    }),
  );
  const sync = closing.add(
    announcedSync({
      sync: new SourceSync({
        ...{ home, databaseUrl, store, counts: () => index.counts(), clock, newId, log },
        embeddingRate: () => index.embedding.rate,
        callSourceTool: async (name, args, signal) =>
          sourceAnswer(await deps.callTool({ name, arguments: args, signal })),
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
    if ((await store.sources.list()).length > 0) index.embedding.wake();
  };
  return { embedder, memory, knowledge: { reader: index.reader, sync, inbox, resume } };
}

async function embeddingKey({ embeddings: { apiKey } }: Settings, vault: OwnKnowledgeDeps["vault"]) {
  if (apiKey === null) return ok(null);
  // A key which stands in the settings is never shown either.
  if (secretsNamedIn(apiKey).length === 0) vault.conceal(apiKey);
  return vault.fill(apiKey);
}
