import type { Feature } from "../contract/feature.ts";
import type { ServerNeeds } from "./parts.ts";

/** MCP servers: registered, signed in to, judged. The hub opens their logic; this adds what people do with it. */
export const servers: Feature<ServerNeeds> = {
  name: "servers",
  load: async () => (await import("./parts.ts")).parts,
};
