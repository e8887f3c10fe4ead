import type { FeatureParts } from "../../contract/feature.ts";
import type { Database } from "../../machine/db/database.ts";
import { consentStore } from "../../machine/db/tables/identity/consents.ts";
import type { People } from "./people.ts";
import { peopleRoutes } from "./people-routes.ts";
import { type IdentityRouteDeps, identityRoutes } from "./routes.ts";

export interface IdentityNeeds extends Omit<IdentityRouteDeps, "consents"> {
  readonly database: Database;
  readonly people: People;
}

export const parts: FeatureParts<IdentityNeeds> = {
  open: ({ database, people, ...needs }) => ({
    routes: [...identityRoutes({ ...needs, consents: consentStore(database) }), ...peopleRoutes({ people })],
  }),
};
