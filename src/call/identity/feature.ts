import type { Feature } from "../../contract/feature.ts";
import type { IdentityNeeds } from "./parts.ts";

/** Agents and their tokens, people and their sessions. */
export const identity: Feature<IdentityNeeds> = {
  name: "identity",
  load: async () => (await import("./parts.ts")).parts,
};
