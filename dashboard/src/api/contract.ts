/** The dashboard's only import from the daemon, and types only; `test/architecture.test.ts` enforces it. */
export type * from "../../../src/surfaces/api/contract.ts";
