import type { Feature } from "../../contract/feature.ts";
import type { PluginNeeds } from "./parts.ts";
import type { Plugins } from "./plugins.ts";

/** Third-party packages that bring tools. */
export const plugins: Feature<PluginNeeds, Plugins> = {
  name: "plugins",
  load: async () => (await import("./parts.ts")).parts,
};
