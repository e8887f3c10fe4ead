import { afterAll, describe } from "vitest";
import { hasPostgres } from "../../support/postgres.ts";
import { storeContract } from "./contract.ts";
import { closeKeptStores, keptPostgresStore } from "./stores.ts";

describe.runIf(hasPostgres())("PostgreSQL", () => {
  afterAll(closeKeptStores);
  storeContract(keptPostgresStore);
});
