import type { Feature } from "../../contract/feature.ts";
import type { AccessDeps } from "./effective-tools.ts";

/** The tools that agents and toolboxes have, and would have after a change. */
export const access: Feature<AccessDeps> = {
  name: "access",
  load: async () => (await import("./parts.ts")).parts,
};
