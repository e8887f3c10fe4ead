import type { Feature } from "../../contract/feature.ts";
import type { ClientRouteDeps } from "./routes.ts";

/** Other programs that speak MCP: their servers imported, and Toolkeep added to their settings. */
export const clients: Feature<ClientRouteDeps> = {
  name: "clients",
  load: async () => (await import("./parts.ts")).parts,
};
