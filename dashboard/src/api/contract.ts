/** The only thing the dashboard knows of the daemon's code, and types only: `test/architecture.test.ts` says so. */
export type * from "../../../src/surfaces/api/contract.ts";
