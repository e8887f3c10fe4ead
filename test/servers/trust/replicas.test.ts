import { expect, test } from "vitest";
import { hasPostgres } from "../../support/postgres.ts";
import { readySchema } from "../../support/ready-schema.ts";
import { replica } from "../../support/replica.ts";
import { ADD, ANNOUNCE, POISONED, published } from "../../support/servers/published.ts";
import { type TestUpstream, testUpstream } from "../../support/upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";

const TOOL = "mcp_calc_add";
const GOOD = [ADD, ANNOUNCE];
const BAD = [POISONED, ANNOUNCE];

/** What agents would be shown of the tool. */
const shown = (up: TestUpstream) => {
  const tool = up.tool(TOOL);
  return [tool.status().kind, tool.description];
};
const WAITS = ["pending_approval", ""];
const AS_ACCEPTED = ["active", ADD.description];

test("what one process keeps back, all keep back, and what a person accepts at one counts at all", async (context) => {
  if (!hasPostgres()) context.skip("this run has no PostgreSQL");
  await using schema = await readySchema();
  await using server = await published();
  await using a = await replica(schema.url);
  await using b = await replica(schema.url);
  await a.up.upstream.add("calc", { ...server.input, pin: true });
  for (const { up } of [a, b]) {
    await waitUntil("it has the tools", () => up.upstream.tools().length === 2);
    await up.upstream.settled();
  }
  const kinds = (kind: string) => [a, b].every(({ up }) => up.tool(TOOL).status().kind === kind);

  server.publish(BAD);
  await a.up.upstream.test("calc");
  await waitUntil("both keep it back", () => kinds("pending_approval"));
  const { version, changes } = await b.up.upstream.trust.listChanges("calc");
  expect(changes).toMatchObject([{ name: "add", what: "changed", state: "waiting" }]);
  expect((await a.up.upstream.trust.listChanges("calc")).version).toBe(version);
  // One has seen the connection, the other has not: neither lets a call through.
  for (const { up } of [a, b]) expect(await up.call(TOOL, { a: 1 })).toMatchObject({ kind: "unavailable" });
  expect(await a.store.notifications.list()).toHaveLength(1);

  await b.up.upstream.trust.decide("calc", "accept", { seen: version });
  await waitUntil("both have it", () => kinds("active"));
  expect(await a.up.call(TOOL, { a: 1 })).toMatchObject({ kind: "output" });
  expect(await a.store.notifications.list()).toEqual([]);
});

/** Two processes over one store, of which the second hears nothing of the first unless it reads. */
async function pair(second: (store: TestUpstream["store"]) => TestUpstream["store"] = (store) => store) {
  const server = await published();
  const here = await testUpstream();
  await here.upstream.add("calc", { ...server.input, pin: true });
  await here.upstream.settled();
  const there = await testUpstream({ store: second(here.store) });
  return {
    server,
    here,
    there,
    async [Symbol.asyncDispose]() {
      await there[Symbol.asyncDispose]();
      await here[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

test("a process that has not heard yet what another keeps back does not show it either", async () => {
  await using t = await pair();
  t.server.publish(BAD);
  await t.here.upstream.test("calc");
  expect(shown(t.there)).toEqual(AS_ACCEPTED);
  await t.there.upstream.test("calc");
  expect(shown(t.there)).toEqual(WAITS);
});

test("nothing that is kept back is there for whoever reads while another process writes", async () => {
  let meanwhile = { before: async () => {}, after: async () => {} };
  const nothing = meanwhile;
  await using t = await pair((store) => ({
    ...store,
    servers: {
      ...store.servers,
      async tools(serverId) {
        const { before, after } = meanwhile;
        meanwhile = nothing;
        await before();
        const rows = await store.servers.tools(serverId);
        await after();
        return rows;
      },
    },
  }));
  const publish = (tools: readonly object[]) => async () => {
    t.server.publish(tools);
    await t.here.upstream.test("calc");
  };
  meanwhile = { ...nothing, before: publish(BAD) };
  await t.there.upstream.reload();
  expect(shown(t.there)).toEqual(WAITS);
  // It goes back after the list was read: what was read is not what is accepted, whatever else is known by then.
  meanwhile = { ...nothing, after: publish(GOOD) };
  await t.there.upstream.reload();
  expect(shown(t.there)).toEqual(WAITS);
  await t.there.upstream.reload();
  expect(shown(t.there)).toEqual(AS_ACCEPTED);
});

test("what was kept back is not there after a crash while it went back, and is with the next connection", async () => {
  let isFull = false;
  await using t = await pair((store) => ({
    ...store,
    servers: {
      ...store.servers,
      replaceTools: (serverId, tools) =>
        isFull ? Promise.reject(new Error("no space")) : store.servers.replaceTools(serverId, tools),
    },
  }));
  t.server.publish(BAD);
  await t.there.upstream.test("calc");
  expect(shown(t.there)).toEqual(WAITS);
  t.server.publish(GOOD);
  isFull = true;
  expect((await t.there.upstream.test("calc")).ok).toBe(false);
  await t.there.restart();
  expect(shown(t.there)).toEqual(WAITS);
  isFull = false;
  await t.there.upstream.test("calc");
  expect(shown(t.there)).toEqual(AS_ACCEPTED);
});
