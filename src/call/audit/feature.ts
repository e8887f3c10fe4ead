import type { Feature } from "../../contract/feature.ts";
import type { AuditReader } from "./audit-reader.ts";
import type { AuditNeeds } from "./parts.ts";

/** What happened here: calls, and what people did beside them. */
export const audit: Feature<AuditNeeds, AuditReader> = {
  name: "audit",
  load: async () => (await import("./parts.ts")).parts,
};
