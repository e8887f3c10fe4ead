import { expect, test } from "vitest";
import type { Store } from "../../../src/machine/db/store.ts";
import { openServerTables, type ServerTables } from "../../../src/servers/tables/server-tables.ts";
import { toolbox } from "../../machine/db/records.ts";
import { accessTables } from "../../support/access-tables.ts";
import { inDeep } from "../../support/length.ts";
import { hasPostgres } from "../../support/postgres.ts";
import { readySchema } from "../../support/ready-schema.ts";
import { type Replica, replica } from "../../support/replica.ts";
import { tempStore } from "../../support/temp-store.ts";
import { fixture, testUpstream } from "../../support/upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";

inDeep("a list that is learned while another process's lists are read stays", async () => {
  await using temp = await tempStore();
  const held = heldReads(temp.store);
  await using up = await testUpstream({ store: held.store });
  await up.upstream.add("growing", fixture("changes its list"));
  await up.upstream.settled();
  const names = () => up.upstream.tools().map((tool) => tool.name);
  expect(names()).toEqual(["mcp_growing_grow"]);

  held.hold();
  const reloading = up.upstream.reload();
  await waitUntil("the old list was read", () => held.reads === 1);
  await up.call("mcp_growing_grow");
  // Either it is stored meanwhile, and the old list must not come last, or it waits for the reading to end.
  const stored = async () => (await openServerTables(temp.store.database).servers.tools()).length === 2;
  await waitUntil("the new list is stored", stored, 1_000).catch(() => {});
  held.release();
  await reloading;
  await waitUntil("the new list is in memory too", () => names().length === 2);
  expect(names()).toEqual(["mcp_growing_grow", "mcp_growing_grown_1"]);
});

test("two processes that learn the same server at once come to rest, with one name a tool", async (context) => {
  if (!hasPostgres()) context.skip("this run has no PostgreSQL");
  await using schema = await readySchema();
  await using a = await replica(schema.url);
  await using b = await replica(schema.url);
  await a.up.upstream.add("same", fixture("lists tools", '["one","two"]'));
  for (const { up } of [a, b]) {
    await waitUntil("it has the tools", () => up.upstream.tools().length === 2);
    await up.upstream.settled();
  }
  const marked = await mark(a, b, "first");
  // Everything announced before has been taken over by now; whatever it led to would have raised the revision.
  for (const { up } of [a, b]) await up.upstream.settled();
  expect(await mark(b, a, "second")).toBe(marked + 1);
  expect(b.up.upstream.tools().map((tool) => tool.name)).toEqual(["mcp_same_one", "mcp_same_two"]);
  expect(a.up.upstream.tools().map((tool) => tool.name)).toEqual(["mcp_same_one", "mcp_same_two"]);
});

/** A store whose lists of tools, once held, are given only when they are released, as they were when they were read. */
function heldReads(store: Store) {
  const tables = openServerTables(store.database);
  let release = () => {};
  let gate: Promise<void> | undefined;
  let reads = 0;
  const tools: ServerTables["servers"]["tools"] = async (serverId) => {
    const rows = await tables.servers.tools(serverId);
    if (gate) reads++;
    await gate;
    return rows;
  };
  return {
    store: { ...store, ...tables, servers: { ...tables.servers, tools } },
    hold() {
      gate = new Promise((resolve) => {
        release = resolve;
      });
    },
    release: () => release(),
    get reads() {
      return reads;
    },
  };
}

/** A change by one that the other has heard of; resolves with its revision. */
async function mark(by: Replica, other: Replica, name: string): Promise<number> {
  const heard = other.heard();
  await accessTables(by.store).toolboxes.create(toolbox(name));
  const revision = await by.store.revision();
  await waitUntil(`${name} was heard of`, () => other.heard() > heard);
  return revision;
}
