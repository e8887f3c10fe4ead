import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestApi, testApi } from "../../../../support/test-api.ts";
import { typed } from "../../../../support/typed.ts";

let api: TestApi;
let asked = 0;

beforeAll(async () => {
  api = await testApi({ agents: { main: [] }, rules: [{ permission: "think", action: "ask" }] });
});
afterAll(() => api[Symbol.asyncDispose]());

async function ask() {
  const thought = `number ${++asked}`;
  const call = () => api.call("think", { thought }, "main");
  return { id: (await call()).error?.details?.approvalId as string, call, thought };
}

describe("toolkeep approval", () => {
  it("list shows what would run and how to answer, approve lets it run once", async () => {
    const { id, call, thought } = await ask();
    const { out } = await typed(api, ["approval", "list"]);
    expect(out).toContain("May main call think?");
    expect(out).toContain(thought);
    expect(out).toContain(`toolkeep approval approve ${id} [--conversation | --always [--pattern GLOB]]`);
    expect((await typed(api, ["approval", "approve", id])).out).toContain(`Approved ${id}`);
    expect((await call()).outcome).toBe("ok");
    expect((await call()).outcome).toBe("needs_approval");
    expect((await typed(api, ["approval", "show", id])).out).toMatch(/once by \w+/);
  });

  it("reject gives the agent the reason", async () => {
    const { id, call } = await ask();
    await typed(api, ["approval", "reject", id, "--reason", "not today"]);
    expect((await call()).error?.message).toContain("not today");
    expect((await typed(api, ["approval", "list", "--all"])).out).toMatch(/reject by .*: not today/);
  });

  it("approve --always writes a rule, which it names", async () => {
    const { id } = await ask();
    const { out } = await typed(api, ["approval", "approve", id, "--always"]);
    const [rule] = api.hub.ruleBook.list();
    expect(out).toContain(`toolkeep rule remove ${rule!.id}`);
    expect((await api.call("think", { thought: "anything" }, "main")).outcome).toBe("ok");
    await api.hub.ruleBook.remove(rule!.id);
  });

  it("approve takes one span, and a pattern only with --always", async () => {
    const { id } = await ask();
    for (const flags of [
      ["--always", "--conversation"],
      ["--pattern", "x"],
      ["--always", "--pattern", "{x"],
    ])
      expect((await typed(api, ["approval", "approve", id, ...flags])).code).toBe(2);
  });

  it("question answer takes once and reject as before", async () => {
    const { id, call } = await ask();
    expect((await typed(api, ["question", "answer", id, "once"])).code).toBe(0);
    expect((await call()).outcome).toBe("ok");
  });
});

it("agent and token commands set what approvals look at", async () => {
  await typed(api, ["agent", "create", "robot", "--headless"]);
  expect(api.hub.identity.agent("robot").headless).toBe(true);
  expect((await typed(api, ["agent", "show", "robot"])).out).toContain("headless");
  await typed(api, ["agent", "edit", "robot", "--attended"]);
  expect(api.hub.identity.agent("robot").headless).toBe(false);
  await typed(api, ["token", "create", "--agent", "robot", "--interactive"]);
  expect(api.hub.identity.tokens().at(-1)).toMatchObject({ interactive: true });
  expect((await typed(api, ["token", "create", "--admin", "--interactive"])).code).not.toBe(0);
});
