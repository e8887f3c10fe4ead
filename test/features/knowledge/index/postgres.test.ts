import { describe } from "vitest";
import { hasPostgres } from "../../../support/postgres.ts";
import { postgresIndex } from "./indexes.ts";
import { pagingContract } from "./paging-contract.ts";
import { searchContract } from "./search-contract.ts";
import { sweepContract } from "./sweep-contract.ts";
import { writerContract } from "./writer-contract.ts";

describe.runIf(hasPostgres())("the index on PostgreSQL", () => {
  writerContract(postgresIndex);
  searchContract(postgresIndex);
  pagingContract(postgresIndex);
  sweepContract(postgresIndex);
});
