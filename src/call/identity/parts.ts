import type { Caller } from "../../contract/caller.ts";
import type { FeatureParts } from "../../contract/feature.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { Database } from "../../machine/db/database.ts";
import type { Questions } from "../questions/questions.ts";
import type { GrantRequest } from "./agent-grants.ts";
import { agentTools } from "./agent-tools.ts";
import { unrestrictedCaller } from "./callers.ts";
import { tokenCleaning } from "./cleaning.ts";
import { ConsentTable } from "./consent-table.ts";
import type { AgentRecord, UnresolvedGrants } from "./contract.ts";
import type { Identity } from "./identity.ts";
import type { People } from "./people.ts";
import { peopleRoutes } from "./people-routes.ts";
import { identityRoutes } from "./routes.ts";
import { TABLES, TokenTable } from "./tables.ts";

export interface IdentityNeeds {
  readonly database: Database;
  readonly settings: () => Settings;
  readonly clock: Clock;
  readonly identity: Identity;
  readonly people: People;
  readonly questions: Questions;
  /** Opened later. */
  readonly catalog: () => {
    visible(caller: Caller): readonly { readonly name: string }[];
    unresolvedGrants(agent: AgentRecord): UnresolvedGrants;
    findExcessGrants(caller: Caller, request: GrantRequest): readonly string[];
    readonly toolboxes: { readonly byName: ReadonlyMap<string, unknown> };
  };
}

export const parts: FeatureParts<IdentityNeeds> = {
  tables: TABLES,
  open: ({ database, identity, people, questions, catalog, settings, clock }) => ({
    cleaning: tokenCleaning({
      ...{ identity, clock, tokens: new TokenTable(database), consents: new ConsentTable(database) },
      retentionMs: () => settings().retention.tokensMs,
    }),
    tools: agentTools({
      identity,
      questions,
      findExcessGrants: (caller, request) => catalog().findExcessGrants(caller, request),
      unresolvedGrants: (agent) => catalog().unresolvedGrants(agent),
      toolboxNames: () => [...catalog().toolboxes.byName.keys()],
      toolsOf: (agent) =>
        catalog()
          .visible(unrestrictedCaller(agent))
          .map((tool) => tool.name),
    }),
    routes: [
      ...identityRoutes({ identity, catalog, consents: new ConsentTable(database) }),
      ...peopleRoutes({ people }),
    ],
  }),
};
