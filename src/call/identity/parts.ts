import type { FeatureParts } from "../../contract/feature.ts";
import type { Database } from "../../machine/db/database.ts";
import { ConsentTable } from "./consent-table.ts";
import type { People } from "./people.ts";
import { peopleRoutes } from "./people-routes.ts";
import { type IdentityRouteDeps, identityRoutes } from "./routes.ts";
import { TABLES } from "./tables.ts";

export interface IdentityNeeds extends Omit<IdentityRouteDeps, "consents"> {
  readonly database: Database;
  readonly people: People;
}

export const parts: FeatureParts<IdentityNeeds> = {
  tables: TABLES,
  open: ({ database, people, ...needs }) => ({
    routes: [
      ...identityRoutes({ ...needs, consents: new ConsentTable(database) }),
      ...peopleRoutes({ people }),
    ],
  }),
};
