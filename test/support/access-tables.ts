import { ToolboxTable, toolboxes } from "../../src/call/catalog/toolboxes/tables.ts";
import { activationTable } from "../../src/call/conversation/tables.ts";
import { ConsentTable } from "../../src/call/identity/consent-table.ts";
import { SessionTable } from "../../src/call/identity/session-table.ts";
import { AgentTable, agents, PersonTable, TokenTable } from "../../src/call/identity/tables.ts";
import { Records } from "../../src/machine/db/query/records.ts";
import type { Store } from "../../src/machine/db/store.ts";

/** The tables of agents and people, of what these may do, and of what conversations activated. */
export function accessTables({ database }: Pick<Store, "database">) {
  return {
    agents: Object.assign(new AgentTable(database), {
      byName: (name: string) => new Records(database, agents).find({ name }),
    }),
    tokens: new TokenTable(database),
    consents: new ConsentTable(database),
    people: new PersonTable(database),
    sessions: new SessionTable(database),
    toolboxes: Object.assign(new ToolboxTable(database), {
      byName: (name: string) => new Records(database, toolboxes).find({ name }),
    }),
    activations: activationTable(database),
  };
}
