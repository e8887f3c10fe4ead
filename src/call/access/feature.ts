import type { Feature } from "../../contract/feature.ts";
import type { AccessDeps } from "./effective-tools.ts";

/** What agents and toolboxes come to, and what a change would. */
export const access: Feature<AccessDeps> = {
  name: "access",
  load: async () => (await import("./parts.ts")).parts,
};
