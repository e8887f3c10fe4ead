import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type { SecretBindings } from "../../../src/call/vault/contract.ts";
import { mayNameSecrets } from "../../../src/call/vault/placeholder.ts";
import { Vault } from "../../../src/call/vault/vault.ts";
import type { Tool } from "../../../src/contract/tool.ts";
import { findHosts } from "../../../src/lib/address/hosts-in.ts";
import { memorySecrets } from "../../support/memory-secrets.ts";
import { testCaller, testTool } from "../../support/tools.ts";

const VALUE = "s3cret/value+x";
const ARGS = { url: "https://api.example.com/v1", headers: { Authorization: "Bearer {{secret:TOKEN}}" } };
const bound = (change: Partial<SecretBindings> = {}): SecretBindings => ({
  tools: ["fetch_it"],
  hosts: ["api.example.com"],
  agents: null,
  ...change,
});

let vault: Vault;
beforeEach(async () => {
  vault = await Vault.open({ store: memorySecrets(), key: randomBytes(32), clock: () => 1 });
});

async function expanded(args: object, change: Partial<Tool> = {}, caller = testCaller({})) {
  const tool = testTool({ name: "fetch_it", ...change });
  const given = await vault.expand(args as Record<string, unknown>, { tool, caller });
  return given === undefined ? args : given.ok ? given.value : given.error;
}

describe("a secret in the arguments of a call", () => {
  it("is there for a tool and a host that it is bound to, wherever it stands", async () => {
    await vault.put("TOKEN", VALUE, { bindings: bound() });
    expect(await expanded(ARGS)).toEqual({
      url: "https://api.example.com/v1",
      headers: { Authorization: `Bearer ${VALUE}` },
    });
    const { url } = ARGS;
    expect(await expanded({ url, list: [{ deep: "a{{secret:TOKEN}}b{{secret:TOKEN}}" }] })).toEqual({
      url,
      list: [{ deep: `a${VALUE}b${VALUE}` }],
    });
  });

  it.each([
    { url: "https:/evil.example/?x=https://api.example.com" },
    { url: "evil.example/?x=https://api.example.com/" },
    { url: "//evil.example/?x=https://api.example.com" },
    { url: "https:\\\\evil.example\\?x=https://api.example.com" },
    { url: "https://api.example.com/,https://evil.example/" },
    { url: "https://api.example.com\t.evil.example/" },
    { url: "https://api.example.com/", more: { "https://evil.example/": 1 } },
    { target: "evil.example" },
    {},
  ])("that is bound to a host does not go into %j", async (place) => {
    await vault.put("TOKEN", VALUE, { bindings: bound() });
    const args = { ...place, body: "{{secret:TOKEN}}" };
    for (const hostsOf of [undefined, findHosts])
      expect(await expanded(args, hostsOf && { hostsOf })).toMatchObject({ outcome: "denied" });
    const own = { hostsOf: () => ["api.example.com"] };
    if (Object.keys(place).length === 0) expect(JSON.stringify(await expanded(args, own))).toContain(VALUE);
  });

  it.each<[string, Partial<SecretBindings>, Partial<Tool>, boolean]>([
    ["no tool", { tools: [] }, {}, false],
    ["another tool", { tools: ["fetch_other"] }, {}, false],
    ["its name by a pattern", { tools: ["fetch_*"] }, {}, true],
    ["its permission", { tools: ["mcp:web:get"] }, { origin: "mcp:web", ownName: "get" }, true],
    ["its server", { tools: ["mcp:web:*"] }, { origin: "mcp:web", ownName: "get" }, true],
    ["another server", { tools: ["mcp:web:*"] }, { origin: "mcp:other", ownName: "get" }, false],
    ["no host", { hosts: [] }, {}, false],
    ["another host", { hosts: ["example.com"] }, {}, false],
    ["its host by a pattern", { hosts: ["*.example.com"] }, {}, true],
    ["every host", { hosts: ["*"] }, {}, true],
    ["hosts, of which the tool's own is none", {}, { hostsOf: () => ["mcp.example.org"] }, false],
    ["hosts, and the tool runs programs", {}, { capabilities: ["shell"] }, false],
    ["another agent", { agents: ["agt_other"] }, {}, false],
    ["its agent", { agents: [testCaller({}).agentId] }, {}, true],
  ])("that is bound to %s", async (_, change, tool, isGiven) => {
    await vault.put("TOKEN", VALUE, { bindings: bound(change) });
    const given = await expanded(ARGS, tool);
    if (isGiven) return expect(JSON.stringify(given)).toContain(VALUE);
    expect(given).toMatchObject({ outcome: "denied", message: expect.stringContaining("the secret TOKEN ") });
    expect(JSON.stringify(given)).not.toMatch(/s3cret|example/);
  });

  it("goes to no host that another secret brings in", async () => {
    await vault.put("TOKEN", VALUE, { bindings: bound() });
    await vault.put("MINE", ".evil.example/?", { setBy: testCaller({}).agentId });
    const url = "https://api.example.com{{secret:MINE}}&t={{secret:TOKEN}}";
    expect(await expanded({ url })).toMatchObject({ outcome: "denied" });
  });

  it("of a person is for no tool, and that of an agent for that agent only, unless somebody says so", async () => {
    await vault.put("TOKEN", VALUE);
    expect(await expanded(ARGS)).toMatchObject({ message: expect.stringContaining("bound to no tool") });
    const ada = testCaller({ agentId: "agt_ada" });
    await vault.put("TOKEN", VALUE, { setBy: "agt_ada" });
    expect(JSON.stringify(await expanded(ARGS, {}, ada))).toContain(VALUE);
    expect(await expanded(ARGS)).toMatchObject({ outcome: "denied" });
    // What the agent was allowed with its own value it is not with that of a person.
    await vault.put("TOKEN", VALUE);
    expect(await expanded(ARGS, {}, ada)).toMatchObject({ outcome: "denied" });
    await vault.bind("TOKEN", bound());
    await vault.put("TOKEN", "another value of the same person");
    expect(JSON.stringify(await expanded(ARGS))).toContain("another value");
  });

  it("that does not exist, or is too short to be kept out of results, is refused", async () => {
    await vault.put("PIN", "1234", { bindings: bound() });
    expect(await expanded({ x: "{{secret:NONE}}" })).toMatchObject({
      outcome: "invalid_arguments",
      message: "there is no secret NONE",
    });
    expect(await expanded({ x: "{{secret:PIN}}" })).toMatchObject({ outcome: "denied" });
  });

  it("stays a name for a tool that wants names, and where a backslash says that the text is meant", async () => {
    await vault.put("TOKEN", VALUE, { bindings: bound() });
    expect(await expanded(ARGS, { takesSecretNames: true })).toBe(ARGS);
    expect(await expanded({ text: "write {{\\secret:TOKEN}} there" })).toEqual({
      text: "write {{secret:TOKEN}} there",
    });
    expect(await expanded({ text: "{{secret:token}} {{secret:}} secret:TOKEN" })).toEqual({
      text: "{{secret:token}} {{secret:}} secret:TOKEN",
    });
  });

  it("costs calls without one a look, and their arguments stay what they are", async () => {
    const args = { a: ["b", { c: 1, d: null }], e: "no {{secret}} here" };
    expect(mayNameSecrets(args)).toBe(false);
    expect(
      await vault.expand(args, { tool: testTool({ name: "fetch_it" }), caller: testCaller({}) }),
    ).toBeUndefined();
  });
});
