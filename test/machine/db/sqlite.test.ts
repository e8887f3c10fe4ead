import { describe } from "vitest";
import { storeContract } from "./contract.ts";
import { sqliteStore } from "./stores.ts";

describe("SQLite", () => storeContract(sqliteStore));
