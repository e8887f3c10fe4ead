import { describe, expect, it } from "vitest";
import { inDeep } from "../../support/length.ts";
import { ANNOUNCE, POISONED, published } from "../../support/servers/published.ts";
import { type TestHub, type TestHubSetup, testHub } from "../../support/test-hub.ts";
import { fixture } from "../../support/upstream.ts";

const HOUR = 3_600_000;

async function open(setup: TestHubSetup = {}): Promise<TestHub> {
  const test = await testHub({
    servers: { fs: fixture("lists tools", JSON.stringify(["read", "write"])) as object },
    agents: { asker: [] },
    ...setup,
  });
  await test.hub.upstream.test("fs");
  return test;
}

const ask = (test: TestHub, tools: readonly string[], agent = "asker", reason = "to look") =>
  test.call("request_tool_access", { tools, reason }, agent);
const pending = (test: TestHub) => test.hub.questions.list({ state: "pending" });

async function states(test: TestHub, tools: readonly string[], agent = "asker") {
  const { structured } = await ask(test, tools, agent);
  return (structured as unknown as { tools: { state: string }[] }).tools.map(({ state }) => state);
}

describe("request_tool_access", () => {
  it("asks a person about each tool by itself, and gives exactly what they said yes to", async () => {
    await using test = await open();
    const waits = await ask(test, ["mcp_fs_read", "mcp_fs_write"]);
    expect(waits.outcome).toBe("needs_input");
    const questions = await pending(test);
    expect(questions.map(({ kind, prompt }) => [kind, prompt])).toEqual([
      ["access", 'May asker have the tool mcp_fs_read? It says: "to look"'],
      ["access", 'May asker have the tool mcp_fs_write? It says: "to look"'],
    ]);
    await test.hub.questions.answer(questions[0]!.id, "grant");
    expect((await ask(test, ["mcp_fs_read", "mcp_fs_write"])).outcome).toBe("needs_input");
    await test.hub.questions.answer(questions[1]!.id, "refuse");
    expect(await states(test, ["mcp_fs_read", "mcp_fs_write"])).toEqual(["granted", "refused"]);
    expect(test.hub.identity.agent("asker").grants).toEqual(["mcp_fs_read"]);
    expect((await test.call("mcp_fs_read", {}, "asker")).outcome).toBe("ok");
    expect((await test.call("mcp_fs_write", {}, "asker")).outcome).toBe("not_granted");
  });

  it("gives the tool with the answer, whether or not the agent asks again", async () => {
    await using test = await open();
    await ask(test, ["mcp_fs_read"]);
    await test.hub.questions.answer((await pending(test))[0]!.id, "grant");
    expect((await test.call("mcp_fs_read", {}, "asker")).outcome).toBe("ok");
  });

  it("asks once, whatever the reason and however often it is called", async () => {
    await using test = await open();
    await ask(test, ["mcp_fs_read"]);
    await ask(test, ["mcp_fs_read"], "asker", "please");
    await ask(test, ["mcp_fs_write", "mcp_fs_read"]);
    expect(await pending(test)).toHaveLength(2);
  });

  it("takes only grant or refuse for an answer", async () => {
    await using test = await open();
    await ask(test, ["mcp_fs_read"]);
    const [question] = await pending(test);
    await expect(test.hub.questions.answer(question!.id, "once")).rejects.toMatchObject({
      code: "BAD_REQUEST",
      message: 'The question expects one of "grant", "refuse"; it got "once".',
    });
  });

  inDeep("does not ask again within the hour after a no or a dismissal", async () => {
    let now = Date.now();
    await using test = await open({ clock: () => now });
    await ask(test, ["mcp_fs_read", "mcp_fs_write"]);
    const [first, second] = await pending(test);
    await test.hub.questions.answer(first!.id, "refuse");
    await test.hub.questions.dismiss(second!.id);
    for (let time = 0; time < 2; time++)
      expect(await states(test, ["mcp_fs_read", "mcp_fs_write"])).toEqual(["refused", "refused"]);
    expect(await pending(test)).toEqual([]);
    now += HOUR + 1;
    expect((await ask(test, ["mcp_fs_read"])).outcome).toBe("needs_input");
    expect(await pending(test)).toHaveLength(1);
  });

  inDeep("says so where what a person gave was taken away again", async () => {
    await using test = await open();
    await ask(test, ["mcp_fs_read"]);
    await test.hub.questions.answer((await pending(test))[0]!.id, "grant");
    await test.hub.identity.updateAgent("asker", { grants: [] });
    expect((await ask(test, ["mcp_fs_read"])).text).toContain("has withdrawn it since");
    // It may ask again: nobody refused.
    expect((await ask(test, ["mcp_fs_read"])).outcome).toBe("needs_input");
  });

  it("says at once what a person's yes would not change", async () => {
    await using test = await open({
      rules: [{ permission: "mcp:fs:write", action: "deny" }],
      toolboxes: { mine: ["mcp:fs:*"] },
      agents: { asker: ["mine"] },
    });
    const tools = ["mcp_fs_write", "no_such_tool", "send_email", "report_to_parent", "read_file"];
    expect(await states(test, tools)).toEqual(["denied", "unknown", "planned", "unsuitable", "granted"]);
    await test.hub.upstream.update("fs", { enabled: false });
    expect(await states(test, ["mcp_fs_read"])).toEqual(["unavailable"]);
    expect(await pending(test)).toEqual([]);
  });

  it("reports a held, denied or disabled tool as unknown to agents that do not have it", async () => {
    await using server = await published();
    await using test = await testHub({
      toolboxes: { calc: ["mcp:calc:*"] },
      agents: { asker: [], owner: ["calc"] },
      rules: [{ permission: "mcp:fs:write", action: "deny" }],
      servers: { fs: fixture("lists tools", JSON.stringify(["read", "write"])) as object },
    });
    const { upstream } = test.hub;
    await upstream.test("fs");
    await upstream.add("calc", { ...server.input, pin: true });
    await upstream.settled();
    server.publish([POISONED, ANNOUNCE, { ...POISONED, name: "sub" }]);
    await upstream.test("calc");
    expect(test.hub.catalog.get("mcp_calc_sub")?.status().kind).toBe("pending_approval");
    const answerOf = async (name: string, agent: string) => {
      const { outcome, text, structured } = await ask(test, [name], agent);
      return JSON.stringify([outcome, text, structured]).replaceAll(name, "NAME");
    };
    for (const [name, none] of [
      ["mcp_calc_add", "mcp_calc_axd"],
      ["mcp_calc_sub", "mcp_calc_sxb"],
      ["mcp_fs_write", "mcp_fs_wrxte"],
    ] as const)
      expect(await answerOf(name, "asker"), name).toBe(await answerOf(none, "asker"));
    await upstream.update("fs", { enabled: false });
    expect(await answerOf("mcp_fs_read", "asker")).toBe(await answerOf("mcp_fs_rxad", "asker"));
    expect(await pending(test)).toEqual([]);
    // Agents that have the tool are told its state.
    expect(await states(test, ["mcp_calc_add"], "owner")).toEqual(["unavailable"]);
  });

  it("knows the scopes of the token it came with", async () => {
    await using test = await open();
    const caller = { ...test.caller("asker"), scopes: ["tools"] as const };
    const outcome = await test.hub.callTool({
      name: "request_tool_access",
      arguments: { tools: ["mcp_fs_read"], reason: "r" },
      caller,
      via: "library",
    });
    expect(outcome.text).toContain("your token lacks the scope mcp");
  });

  it("names the nearest tool for one that does not exist, and no tool that a rule hides", async () => {
    await using test = await open({ rules: [{ permission: "mcp:fs:write", action: "deny" }] });
    expect((await ask(test, ["mcp_fs_raed"])).text).toContain("did you mean mcp_fs_read?");
    expect((await ask(test, ["mcp_fs_wriet"])).text).not.toContain("mcp_fs_write");
  });

  it("has no more open questions than any agent", async () => {
    await using test = await open({
      servers: {
        fs: fixture("lists tools", JSON.stringify(Array.from({ length: 30 }, (_, at) => `t${at}`))) as object,
      },
    });
    const tool = (at: number) => `mcp_fs_t${at}`;
    await ask(
      test,
      Array.from({ length: 10 }, (_, at) => tool(at)),
    );
    await ask(
      test,
      Array.from({ length: 10 }, (_, at) => tool(10 + at)),
    );
    const more = await ask(test, [tool(20)]);
    expect([more.outcome, more.text]).toEqual(["failed", expect.stringContaining("20 unanswered questions")]);
    expect(await pending(test)).toHaveLength(20);
  });
});
