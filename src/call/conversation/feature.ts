import type { Feature } from "../../contract/feature.ts";
import type { ConversationNeeds } from "./parts.ts";

/** The deferred tools that conversations have found or called. */
export const conversation: Feature<ConversationNeeds> = {
  name: "conversation",
  load: async () => (await import("./parts.ts")).parts,
};
