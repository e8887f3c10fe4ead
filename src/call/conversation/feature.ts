import type { Feature } from "../../contract/feature.ts";

/** The deferred tools that conversations have found or called. */
export const conversation: Feature = {
  name: "conversation",
  load: async () => (await import("./parts.ts")).parts,
};
