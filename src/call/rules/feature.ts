import type { Feature } from "../../contract/feature.ts";
import type { RuleNeeds } from "./parts.ts";

/** Which calls may run, who approved them, and what conversations have come in touch with. The hub opens the logic itself. */
export const rules: Feature<RuleNeeds> = {
  name: "rules",
  load: async () => (await import("./parts.ts")).parts,
};
