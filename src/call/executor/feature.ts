import type { Feature } from "../../contract/feature.ts";
import type { CallRouteDeps } from "./routes.ts";

/** Calls that people make. */
export const calls: Feature<CallRouteDeps> = {
  name: "calls",
  load: async () => (await import("./parts.ts")).parts,
};
