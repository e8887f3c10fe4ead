import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ToolOutcome } from "../../../src/contract/tool.ts";
import { remoteServer } from "../../support/remote-server.ts";
import { legacyHttp, said } from "../../support/servers/legacy-http.ts";
import { putEmptyStore } from "../../support/store-template.ts";
import { tempHome } from "../../support/temp-home.ts";
import { type TestHub, testHub } from "../../support/test-hub.ts";
import { fixture } from "../../support/upstream.ts";

const RULES = [{ permission: "mcp_one_*", action: "ask" as const }];
const TOOLS = [{ name: "pay", inputSchema: { type: "object" } }];
const AGENT = { toolboxes: { servers: ["mcp:*"] }, agents: { scout: ["servers"] } };
const EVE = { by: "eve", from: "cli", role: "admin" } as const;

describe("an approval for one call", () => {
  it("remains for the next call where the server could not be started, and is used up by that", async () => {
    await using folder = await tempHome();
    const flag = join(folder.path, "works");
    await writeFile(flag, "");
    const { command, args } = fixture("echoes");
    const script = `test -e '${flag}' && exec '${command}' ${args!.map((each) => `'${each}'`).join(" ")}; exit 3`;
    const setup = { servers: { one: { command: "sh", args: ["-c", script] } }, rules: RULES };
    await using home = await tempHome();
    const first = await testHub({ ...setup, ...AGENT, home: await prepareHome(home.path) });
    await first.hub.upstream.settled();
    await first[Symbol.asyncDispose]();

    // As after a restart: the tools are known, and the call starts the server.
    await using test = await testHub({ ...setup, home: home.path });
    await approve(test, "mcp_one_echo");
    await rm(flag);
    const failed = await pay(test, "mcp_one_echo");
    expect(failed.outcome).toBe("unavailable");

    await writeFile(flag, "");
    await test.hub.upstream.test("one");
    expect(await pay(test, "mcp_one_echo")).toMatchObject({ outcome: "ok" });
    expect(await pay(test, "mcp_one_echo")).toMatchObject({ outcome: "needs_approval" });
  });

  it("remains for the next call where the call was cancelled or timed out before the server was ready", async () => {
    await using home = await tempHome();
    let isReady = true;
    const inner = legacyHttp(TOOLS, { "tools/call": () => said("paid") });
    const held: (() => void)[] = [];
    await using remote = await remoteServer(async (request, response) => {
      if (!isReady) await new Promise<void>((resolve) => held.push(resolve));
      inner(request, response);
    });
    const setup = { servers: { one: { url: remote.url } }, rules: RULES };
    const first = await testHub({ ...setup, ...AGENT, home: await prepareHome(home.path) });
    await first.hub.upstream.settled();
    await first[Symbol.asyncDispose]();

    await using test = await testHub({ ...setup, home: home.path });
    await approve(test, "mcp_one_pay");
    isReady = false;
    const cancel = new AbortController();
    const calling = test.hub.callTool({
      ...{ name: "mcp_one_pay", arguments: { amount: 1 }, via: "api" as const },
      caller: test.caller("scout"),
      signal: cancel.signal,
    });
    while (held.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    cancel.abort();
    expect(await calling).toMatchObject({ outcome: "cancelled" });

    isReady = true;
    for (const each of held) each();
    expect(await pay(test)).toMatchObject({ outcome: "ok" });
    expect(await pay(test)).toMatchObject({ outcome: "needs_approval" });
  });

  it.each<[string, Parameters<typeof legacyHttp>[1], string]>([
    ["breaks off", { "tools/call": ({ response }) => void response.destroy() }, "unavailable"],
    ["says that it failed", { "tools/call": () => ({ isError: true, content: [] }) }, "failed"],
    [
      "answers HTTP 503",
      { "tools/call": ({ response }) => void response.writeHead(503).end() },
      "unavailable",
    ],
  ])("is used up by a call whose server %s: it may have been carried out", async (_, handlers, outcome) => {
    await using remote = await remoteServer(legacyHttp(TOOLS, handlers));
    await using test = await testHub({ servers: { one: { url: remote.url } }, rules: RULES, ...AGENT });
    await test.hub.upstream.settled();
    await approve(test, "mcp_one_pay");
    expect(await pay(test)).toMatchObject({ outcome });
    await test.hub.upstream.test("one");
    expect(await pay(test)).toMatchObject({ outcome: "needs_approval" });
  });

  it("is used up where the first attempt may have arrived and the second could not be sent", async () => {
    let calls = 0;
    let isGone = false;
    const inner = legacyHttp(TOOLS, {
      "tools/call": ({ response }) => {
        calls++;
        isGone = true;
        response.destroy();
      },
    });
    await using remote = await remoteServer((request, response) => {
      if (isGone) request.socket.destroy();
      else inner(request, response);
    });
    await using test = await testHub({ rules: RULES, ...AGENT });
    await test.hub.upstream.add("one", { url: remote.url, retry: "once" });
    await test.hub.upstream.settled();
    await approve(test, "mcp_one_pay");
    expect(await pay(test)).toMatchObject({ outcome: "unavailable" });
    expect(calls).toBe(1);
    isGone = false;
    await test.hub.upstream.test("one");
    expect(await pay(test)).toMatchObject({ outcome: "needs_approval" });
  });
});

function pay(test: TestHub, tool = "mcp_one_pay"): Promise<ToolOutcome> {
  return test.call(tool, { amount: 1 }, "scout");
}

/** A home that outlives its hub. */
async function prepareHome(home: string): Promise<string> {
  await putEmptyStore(home);
  return home;
}

async function approve(test: TestHub, tool: string): Promise<void> {
  const asked = await pay(test, tool);
  expect(asked.outcome).toBe("needs_approval");
  await test.hub.questions.answer(asked.error!.details!.approvalId as string, "once", EVE);
}
