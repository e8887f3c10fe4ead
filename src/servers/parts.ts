import type { FeatureParts } from "../contract/feature.ts";
import { serverAuthRoutes } from "./auth/routes.ts";
import { type ServerRouteDeps, serverRoutes } from "./routes.ts";
import { TABLES } from "./tables/server-tables.ts";
import { serverTrustRoutes } from "./trust/routes.ts";

export type ServerNeeds = ServerRouteDeps;

export const parts: FeatureParts<ServerNeeds> = {
  tables: TABLES,
  open(needs) {
    return {
      routes: [...serverRoutes(needs), ...serverAuthRoutes(needs), ...serverTrustRoutes(needs)],
      usesOfSecrets: () =>
        needs
          .upstream()
          .servers()
          .map(({ name, secrets }) => ({ user: `server ${name}`, secrets })),
    };
  },
};
