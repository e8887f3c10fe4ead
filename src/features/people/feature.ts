import type { Feature } from "../../contract/feature.ts";

/** Files that agents hand to people. Its tools are part of the core floor. */
export const attachments: Feature<object> = {
  name: "attachments",
  load: async () => (await import("./parts.ts")).parts,
};
