import type { Feature } from "../../contract/feature.ts";

/** Small aids of every agent. Their tools are part of the core floor (`core-floor.ts`). */
export const aids: Feature<object> = {
  name: "aids",
  load: async () => ({ tables: [(await import("./tables.ts")).todos], open: () => ({}) }),
};
