import { describe } from "vitest";
import { sqliteIndex } from "./indexes.ts";
import { pagingContract } from "./paging-contract.ts";
import { searchContract } from "./search-contract.ts";
import { sweepContract } from "./sweep-contract.ts";
import { writerContract } from "./writer-contract.ts";

describe("the index on SQLite", () => {
  writerContract(sqliteIndex);
  searchContract(sqliteIndex);
  pagingContract(sqliteIndex);
  sweepContract(sqliteIndex);
});
