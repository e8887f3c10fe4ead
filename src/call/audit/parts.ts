import type { FeatureParts } from "../../contract/feature.ts";
import type { Database } from "../../machine/db/database.ts";
import { auditStore } from "../../machine/db/tables/calls/audit.ts";
import { callStore } from "../../machine/db/tables/calls/calls.ts";
import type { Audit } from "./audit.ts";
import { AuditReader, type AuditReaderDeps } from "./audit-reader.ts";
import { auditRoutes } from "./routes.ts";

export interface AuditNeeds extends Pick<AuditReaderDeps, "agents"> {
  readonly database: Database;
  readonly audit: Pick<Audit, "checks">;
}

export const parts: FeatureParts<AuditNeeds, AuditReader> = {
  open({ database, audit: { checks }, agents }) {
    const reader = new AuditReader({ calls: callStore(database), entries: auditStore(database), agents });
    return { domain: reader, routes: auditRoutes({ reader, checks }) };
  },
};
