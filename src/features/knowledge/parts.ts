import { rootOf } from "../../call/identity/context.ts";
import type { Caller } from "../../contract/caller.ts";
import type { FeatureParts } from "../../contract/feature.ts";
import { ClosingStack } from "../../lib/flow/closing-stack.ts";
import type { Database } from "../../machine/db/database.ts";
import { memoryStore } from "./memory/memory-store.ts";
import { type MemoryRouteDeps, memoryRoutes } from "./memory/routes.ts";
import { reachOf } from "./memory/spaces.ts";
import { memories, memoryVersions } from "./memory/tables.ts";
import { type OwnKnowledge, type OwnKnowledgeDeps, openKnowledge } from "./open-knowledge.ts";
import { knowledgeRoutes } from "./routes.ts";
import { sourceRoutes } from "./sync/routes.ts";
import { SourceTable, sources } from "./tables.ts";
import { createKnowledgeTools } from "./tools/knowledge-tools.ts";

export interface KnowledgeNeeds
  extends Omit<OwnKnowledgeDeps, "memories" | "sources" | "sharing">,
    Pick<MemoryRouteDeps, "agents"> {
  readonly database: Database;
}

export const parts: FeatureParts<KnowledgeNeeds, OwnKnowledge> = {
  tables: [sources, memories, memoryVersions],
  open({ database, ...needs }) {
    const { identity, settings, clock } = needs;
    const closing = new ClosingStack();
    const store = memoryStore(database);
    const domain = openKnowledge(
      { ...needs, memories: store, sources: new SourceTable(database), sharing: database.dialect.sharing },
      closing,
    );
    const { memory, knowledge } = domain;
    const ownerOf = ({ agentId }: Caller) => rootOf(agentId, (id) => identity.agentById(id));
    return {
      domain,
      tools: createKnowledgeTools({
        ...knowledge,
        memory,
        reachOf: (caller) => reachOf(caller, ownerOf(caller), settings()),
        clock,
      }),
      routes: [
        ...memoryRoutes({ ...needs, memory, store }),
        ...knowledgeRoutes({ ...knowledge, settings }),
        ...sourceRoutes(knowledge.sync),
      ],
      cleaning: [
        { what: "memories", remove: (limit) => store.prune(clock(), limit) },
        {
          what: "memoryVersions",
          async remove(limit) {
            const { memoryHistoryMs } = settings().retention;
            return memoryHistoryMs === null ? 0 : store.pruneVersions(clock() - memoryHistoryMs, limit);
          },
        },
      ],
      close: () => closing.close(),
    };
  },
};
