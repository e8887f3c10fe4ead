import type { Feature } from "../../contract/feature.ts";
import type { SecretRouteDeps } from "./routes.ts";

/** Secrets and the key of the home. The hub opens the vault itself. */
export const vault: Feature<SecretRouteDeps> = {
  name: "vault",
  load: async () => (await import("./parts.ts")).parts,
};
