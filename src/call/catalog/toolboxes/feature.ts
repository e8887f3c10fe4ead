import type { Feature } from "../../../contract/feature.ts";
import type { ToolboxRouteDeps } from "./routes.ts";

/** Named allow-lists of tools. */
export const toolboxes: Feature<ToolboxRouteDeps> = {
  name: "toolboxes",
  load: async () => (await import("./parts.ts")).parts,
};
