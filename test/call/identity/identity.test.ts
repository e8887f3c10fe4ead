import { describe, expect, it } from "vitest";
import { Identity } from "../../../src/call/identity/identity.ts";
import { bearerToken } from "../../../src/call/identity/token.ts";
import { SCOPES } from "../../../src/contract/caller.ts";
import { Events } from "../../../src/contract/events.ts";
import { randomId } from "../../../src/lib/id.ts";
import { accessTables } from "../../support/access-tables.ts";
import { tempStore } from "../../support/temp-store.ts";

async function open() {
  const temp = await tempStore();
  const time = { now: 1_000_000 };
  const deps = { store: temp.store, events: new Events(() => {}), clock: () => time.now, newId: randomId };
  const identity = await Identity.open(deps);
  return {
    identity,
    store: temp.store,
    time,
    again: () => Identity.open(deps),
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
}

it("two processes that give an agent a tool each at the same time give it both", async () => {
  await using opened = await open();
  const { identity, again, time } = opened;
  const { id } = await identity.createAgent("worker");
  const other = await again();
  time.now += 1;
  await Promise.all([identity.grantTool(id, "grep"), other.grantTool(id, "run_shell")]);
  time.now += 1;
  await identity.grantTool(id, "read_file");
  expect((await again()).agent("worker").grants.toSorted()).toEqual(["grep", "read_file", "run_shell"]);
});

it("a current caller has its agent's present grants, and is undefined once its agent or token is gone", async () => {
  await using opened = await open();
  const { identity, time } = opened;
  const agent = await identity.createAgent("worker", { grants: ["grep"] });
  const { record } = await identity.createToken({ agent: "worker", expiresInMs: 1_000 });
  const caller = identity.callerFor(agent, { tokenId: record.id, scopes: ["files"], conversation: "c" });
  const withoutToken = { ...caller, tokenId: null };
  await identity.updateAgent("worker", { grants: [], toolboxes: ["all"] });
  expect(identity.currentCaller(caller)).toEqual({ ...caller, grants: [], toolboxes: ["all"] });
  time.now += 1_000;
  expect(identity.currentCaller(caller)).toBeUndefined();
  expect(identity.currentCaller(withoutToken)).toMatchObject({ grants: [] });
  await identity.deleteAgent("worker");
  expect(identity.currentCaller(withoutToken)).toBeUndefined();
  const operator = identity.operatorCaller("c");
  expect(identity.currentCaller(operator)).toBe(operator);
});

describe("tokens", () => {
  it("are recognised, also after a restart, and only their hash is stored", async () => {
    await using opened = await open();
    const { identity, store, again } = opened;
    await identity.createAgent("scout");
    const { token } = await identity.createToken({ agent: "scout", scopes: ["files"] });
    expect(token).toMatch(/^tk_sk_[\w-]{43}$/);
    for (const each of [identity, await again()]) {
      expect(each.authenticate(token)).toMatchObject({
        kind: "agent",
        agent: { name: "scout" },
        scopes: ["files"],
      });
    }
    expect(JSON.stringify(await accessTables(store).tokens.list())).not.toContain(token);
    expect(JSON.stringify(identity.tokens())).not.toContain("hash");
  });

  it("are shown with their last use, also when that is later than they were read", async () => {
    await using opened = await open();
    const { identity, time, again } = opened;
    await identity.createAgent("scout");
    const { token } = await identity.createToken({ agent: "scout" });
    expect(identity.tokens()).toMatchObject([{ lastUsedAt: null }]);
    identity.authenticate(token);
    expect(identity.tokens()).toMatchObject([{ lastUsedAt: time.now }]);
    await identity.reload();
    const later = await again();
    time.now += 3_600_000;
    later.authenticate(token);
    expect(later.tokens()).toMatchObject([{ lastUsedAt: time.now }]);
  });

  it("missing, unknown, expired and revoked are refused", async () => {
    await using opened = await open();
    const { identity, time } = opened;
    await identity.createAgent("scout");
    const { token, record } = await identity.createToken({ agent: "scout" });
    const { token: brief } = await identity.createToken({ agent: "scout", expiresInMs: 1_000 });
    expect(identity.authenticate(undefined)).toBe("missing");
    expect(identity.authenticate(`${token}x`)).toBe("unknown");
    time.now += 1_000;
    expect(identity.authenticate(brief)).toBe("expired");
    await identity.deleteToken(record.id);
    expect(identity.authenticate(token)).toBe("unknown");
  });

  it("stop working with their agent", async () => {
    await using opened = await open();
    const { identity } = opened;
    await identity.createAgent("scout");
    const { token } = await identity.createToken({ agent: "scout" });
    await identity.deleteAgent("scout");
    expect(identity.authenticate(token)).toBe("unknown");
  });

  it("see what bears a label when it is among their scopes; labels alone leave every tool", async () => {
    await using opened = await open();
    const { identity } = opened;
    await identity.createAgent("scout");
    const scopesOf = async (...scopes: string[]) =>
      (await identity.createToken({ agent: "scout", scopes })).record.scopes;
    expect(await scopesOf("search", "label:private")).toEqual(["search", "label:private"]);
    expect(await scopesOf("label:private", "label:private")).toEqual([...SCOPES, "label:private"]);
    for (const wrong of ["label:", "label:A", "label:a b", `label:${"a".repeat(41)}`, "labels:a"])
      await expect(scopesOf(wrong), wrong).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });

  it("for admins open no tools and take no scopes", async () => {
    await using opened = await open();
    const { identity } = opened;
    const { token } = await identity.createToken({});
    expect(identity.authenticate(token)).toMatchObject({ kind: "admin" });
    await expect(identity.createToken({ scopes: ["files"] })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await identity.createAgent("scout");
    await expect(identity.createToken({ agent: "scout", scopes: ["fils"] })).rejects.toThrow(
      "did you mean files?",
    );
  });

  it.each([
    ["Bearer tk_sk_abc", "tk_sk_abc"],
    ["bearer  tk_sk_abc", "tk_sk_abc"],
    ["Basic dXNlcg==", undefined],
    ["Bearer a b", undefined],
    [undefined, undefined],
  ])("of the header %j: %j", (header, token) => {
    expect(bearerToken(header)).toBe(token);
  });
});

describe("agents", () => {
  it("are created, changed, listed and found by name", async () => {
    await using opened = await open();
    const { identity, again } = opened;
    await identity.createAgent("coder", { toolboxes: ["fs", "fs"], description: "writes" });
    await identity.updateAgent("coder", { grants: ["mcp_x"] });
    expect((await again()).agent("coder")).toMatchObject({
      toolboxes: ["fs"],
      grants: ["mcp_x"],
      description: "writes",
    });
    expect(() => identity.agent("codr")).toThrow("did you mean coder?");
    await expect(identity.createAgent("coder")).rejects.toMatchObject({ code: "NAME_TAKEN" });
    await expect(identity.createAgent("operator")).rejects.toMatchObject({ code: "NAME_TAKEN" });
    await expect(identity.createAgent("../x")).rejects.toMatchObject({ code: "NAME_INVALID" });
  });

  it("with a parent are sub-agents", async () => {
    await using opened = await open();
    const { identity } = opened;
    const parent = await identity.createAgent("lead");
    const child = await identity.createAgent("helper", { parent: "lead" });
    const through = { tokenId: null, scopes: null, conversation: "c" };
    expect(identity.callerFor(child, through)).toMatchObject({ context: "sub-agent", parentId: parent.id });
    expect(identity.callerFor(parent, through)).toMatchObject({ context: "main", parentId: null });
    await expect(identity.createAgent("orphan", { parent: "nobody" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  it("that others work for are not deleted", async () => {
    await using opened = await open();
    const { identity } = opened;
    await identity.createAgent("lead");
    await identity.createAgent("helper", { parent: "lead" });
    await expect(identity.deleteAgent("lead")).rejects.toMatchObject({ code: "IN_USE" });
    await identity.deleteAgent("helper");
    await identity.deleteAgent("lead");
    expect(identity.agents()).toEqual([]);
  });
});

describe("changes at the same moment", () => {
  it("an agent created while another is deleted stays known, and so does its token", async () => {
    await using opened = await open();
    const { identity } = opened;
    await identity.createAgent("lasting");
    for (let round = 0; round < 20; round++) {
      await identity.createAgent(`old-${round}`);
      const [{ token }] = await Promise.all([
        identity.createToken({ agent: "lasting" }),
        identity.deleteAgent(`old-${round}`),
        identity.createAgent(`new-${round}`),
      ]);
      expect(identity.agents().map((agent) => agent.name)).toContain(`new-${round}`);
      expect(identity.authenticate(token)).toMatchObject({ kind: "agent" });
    }
  });

  it("two updates of one agent both count", async () => {
    await using opened = await open();
    const { identity } = opened;
    await identity.createAgent("scout");
    await Promise.all([
      identity.updateAgent("scout", { description: "looks around" }),
      identity.updateAgent("scout", { grants: ["mcp_fs_stat"] }),
    ]);
    expect(identity.agent("scout")).toMatchObject({ description: "looks around", grants: ["mcp_fs_stat"] });
  });
});
