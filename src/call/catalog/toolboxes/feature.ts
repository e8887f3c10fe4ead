import type { Feature } from "../../../contract/feature.ts";
import type { ToolboxNeeds } from "./parts.ts";

/** Named allow-lists of tools. */
export const toolboxes: Feature<ToolboxNeeds> = {
  name: "toolboxes",
  load: async () => (await import("./parts.ts")).parts,
};
