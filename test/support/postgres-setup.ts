import type { TestProject } from "vitest/node";
import { ensurePostgres } from "../../scripts/postgres.mjs";
import { startPostgres } from "../../scripts/postgres-server.mjs";
import { bundleServers } from "./bundled-servers.ts";
import { keepTemporaryFilesInMemory } from "./memory-folder.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A server with room for a database per test file; null where there is none, which has been said. */
    postgresUrl: string | null;
    /** Whether it ends with the run. */
    postgresIsOurs: boolean;
  }
}

/** Prepares what all tests of a run share. What is returned takes it away. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Node reads and parses the file before it does anything else, which triples the cost of a start; no test leaves this
  // machine. The workers, and whatever they start, inherit from this process.
  delete process.env.NODE_EXTRA_CA_CERTS;
  const freeMemory = keepTemporaryFilesInMemory();
  await bundleServers();
  const stopPostgres = await providePostgres(project);
  return async () => {
    await stopPostgres();
    freeMemory();
  };
}

/** Brings up a real PostgreSQL for the whole run, or says plainly why its half of the tests is left out. */
async function providePostgres(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TOOLKEEP_TEST_DATABASE_URL;
  project.provide("postgresIsOurs", !given);
  if (given) {
    project.provide("postgresUrl", given);
    return async () => {};
  }

  const found = ensurePostgres();
  if ("missing" in found) {
    console.warn(`The PostgreSQL half of the store tests is left out: ${found.missing}.`);
    project.provide("postgresUrl", null);
    return async () => {};
  }

  const server = await startPostgres(found.bindir);
  project.provide("postgresUrl", server.url);
  return () => server.stop();
}
