import type { Feature } from "../../contract/feature.ts";
import type { OwnKnowledge } from "./open-knowledge.ts";
import type { KnowledgeNeeds } from "./parts.ts";

/** Memories of agents, and documents gathered for them. */
export const knowledge: Feature<KnowledgeNeeds, OwnKnowledge> = {
  name: "knowledge",
  load: async () => (await import("./parts.ts")).parts,
};
