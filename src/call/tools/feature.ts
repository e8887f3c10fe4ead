import type { Feature } from "../../contract/feature.ts";
import type { ToolRouteDeps } from "./routes.ts";

/** Tools as people look at them. */
export const tools: Feature<ToolRouteDeps> = {
  name: "tools",
  load: async () => (await import("./parts.ts")).parts,
};
