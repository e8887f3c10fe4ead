import type { Feature } from "../../contract/feature.ts";
import type { Custom } from "./custom.ts";
import type { CustomNeeds } from "./parts.ts";

/** The user's own scripts as tools. */
export const customTools: Feature<CustomNeeds, Custom> = {
  name: "custom",
  load: async () => (await import("./parts.ts")).parts,
};
