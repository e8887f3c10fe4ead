import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { testHub } from "../../support/test-hub.ts";

const server = {
  command: process.execPath,
  args: [join(import.meta.dirname, "../../support/servers/working.mjs")],
};
const test = await testHub({
  servers: { known: { ...server, trusted: true }, stranger: server },
  toolboxes: { both: ["mcp:*"] },
  agents: { worker: ["both"] },
});
await test.hub.upstream.settled();
for (const name of ["known", "stranger"]) await test.hub.upstream.test(name);
afterAll(() => test[Symbol.asyncDispose]());

const turn = () => test.hub.session({ agent: "worker" }).turn();
const call = (name: string, who: string, more: object) => ({ name, arguments: { who, ...more } });
const log = async (name: string) => JSON.parse((await test.call(`mcp_${name}_log`)).text);

describe("tools of servers in a batch", () => {
  it("run together where a trusted server says that they only read", async () => {
    const calls = Array.from({ length: 10 }, (_, at) => call("mcp_known_meet", `${at}`, { count: 10 }));
    const outcomes = await (await turn()).callAll(calls);
    expect(outcomes.map(({ text }) => text)).toEqual(calls.map(({ arguments: { who } }) => who));
  });

  it("run one by one where a stranger says so", async () => {
    const calls = Array.from({ length: 5 }, (_, at) => call("mcp_stranger_look", `${at}`, { ms: 20 }));
    const outcomes = await (await turn()).callAll(calls);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(5).fill("ok"));
    expect(await log("stranger")).toMatchObject({ most: 1, order: ["0", "1", "2", "3", "4"] });
  });

  it("run one by one where a trusted server does not say so, also between those that do", async () => {
    const outcomes = await (await turn()).callAll([
      call("mcp_known_meet", "a", { count: 2 }),
      call("mcp_known_meet", "b", { count: 2 }),
      call("mcp_known_work", "c", { ms: 20 }),
      call("mcp_known_work", "d", { ms: 20 }),
      call("mcp_known_meet", "e", { count: 2 }),
      call("mcp_known_meet", "f", { count: 2 }),
    ]);
    expect(outcomes.map(({ text }) => text)).toEqual(["a", "b", "c", "d", "e", "f"]);
    const { most, order } = await log("known");
    expect([most, order.slice(-4, -2)]).toEqual([1, ["c", "d"]]);
  });

  it("run beside native tools that may", async () => {
    const outcomes = await (await turn()).callAll([
      call("mcp_known_meet", "a", { count: 2 }),
      { name: "think", arguments: { thought: "meanwhile" } },
      call("mcp_known_meet", "b", { count: 2 }),
    ]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok"]);
  });
});
