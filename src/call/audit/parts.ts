import type { FeatureParts } from "../../contract/feature.ts";
import type { Database } from "../../machine/db/database.ts";
import type { Audit } from "./audit.ts";
import { AuditReader, type AuditReaderDeps } from "./audit-reader.ts";
import { callStore } from "./call-table.ts";
import { auditStore } from "./chain/audit-table.ts";
import { auditRoutes } from "./routes.ts";
import { TABLES } from "./tables.ts";

export interface AuditNeeds extends Pick<AuditReaderDeps, "agents"> {
  readonly database: Database;
  readonly audit: Pick<Audit, "checks">;
}

export const parts: FeatureParts<AuditNeeds, AuditReader> = {
  tables: TABLES,
  open({ database, audit: { checks }, agents }) {
    const reader = new AuditReader({ calls: callStore(database), entries: auditStore(database), agents });
    return { domain: reader, routes: auditRoutes({ reader, checks }) };
  },
};
