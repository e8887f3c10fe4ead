import type { Feature } from "../../contract/feature.ts";

/** Project files that people trust. */
export const trustedFiles: Feature<unknown> = {
  name: "trusted-files",
  load: async () => (await import("./parts.ts")).parts,
};
