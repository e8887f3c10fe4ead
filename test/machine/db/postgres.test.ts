import { describe } from "vitest";
import { hasPostgres } from "../../support/postgres.ts";
import { storeContract } from "./contract.ts";
import { postgresStore } from "./stores.ts";

describe.runIf(hasPostgres())("PostgreSQL", () => storeContract(postgresStore));
