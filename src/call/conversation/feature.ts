import type { Feature } from "../../contract/feature.ts";

/** What is kept of conversations: the deferred tools that they have found or called. */
export const conversation: Feature = {
  name: "conversation",
  load: async () => (await import("./parts.ts")).parts,
};
