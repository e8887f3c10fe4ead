import type { Client } from "@modelcontextprotocol/client";
import { afterAll, describe, expect, it } from "vitest";
import { bearer, type Message, modernHeaders, modernMessage } from "../../support/mcp-post.ts";
import { type Era, testGateway } from "../../support/test-gateway.ts";
import { waitUntil } from "../../support/wait-until.ts";

/** How far the clock of the daemon is ahead. */
let ahead = 0;
const gateway = await testGateway({
  clock: () => Date.now() + ahead,
  agents: { asker: [], other: [] },
  rules: [{ permission: "think", action: "ask" }],
  settings: { approvals: { wait_secs: 60 } },
});
afterAll(() => gateway[Symbol.asyncDispose]());

const EVE = { by: "eve", from: "cli", role: "admin" } as const;
const thought = (about: string) => ({ name: "think", arguments: { thought: about } });
const outcomeOf = ({ _meta }: { _meta?: Record<string, unknown> | undefined }) => _meta?.["toolkeep/outcome"];

/** A client whose person answers so. */
async function clientSaying(
  era: Era,
  content: Record<string, string>,
  interactive = true,
  before: () => void = () => {},
) {
  const heard: string[] = [];
  const client = await gateway.client("asker", era, {
    capabilities: { elicitation: { form: {} } },
    token: { interactive },
  });
  client.setRequestHandler("elicitation/create", ({ params }) => {
    heard.push(params.message);
    before();
    return { action: "accept", content };
  });
  return { client, heard };
}

async function pending() {
  const questions = await gateway.hub.questions.list({ state: "pending" });
  return questions.at(-1)!;
}

describe.each<Era>(["legacy", "modern"])("a client of the %s era", (era) => {
  it("that can be asked approves a call, and the call is completed", async () => {
    const { client, heard } = await clientSaying(era, { decision: "once" });
    const result = await client.callTool(thought(`${era} yes`));
    expect(result.isError).toBeFalsy();
    expect(heard).toEqual([expect.stringContaining(`${era} yes`)]);
    expect(heard[0]).toContain("May asker call think?");
  });

  it("that can be asked rejects a call, and its model gets the reason", async () => {
    const { client } = await clientSaying(era, { decision: "reject", reason: "think less" });
    const result = await client.callTool(thought(`${era} no`));
    expect(outcomeOf(result)).toBe("denied");
    expect(JSON.stringify(result.content)).toContain("think less");
  });

  it("that can be asked is refused what its person approves too late, and is told why", async () => {
    const tooLate = () => {
      ahead += 25 * 60 * 60 * 1_000;
    };
    const { client } = await clientSaying(era, { decision: "once" }, true, tooLate);
    const result = await client.callTool(thought(`${era} late`));
    expect(outcomeOf(result)).toBe("denied");
    expect(JSON.stringify(result.content)).toContain("has already been used or has expired");
  });

  it("that cannot be asked finds an approval worth nothing that it comes for too late", async () => {
    const client = await gateway.client("asker", era);
    const about = `${era} fetched late`;
    expect(outcomeOf(await client.callTool(thought(about)))).toBe("needs_approval");
    const { id } = await pending();
    await gateway.hub.questions.answer(id, "once", EVE);
    ahead += 25 * 60 * 60 * 1_000;
    const late = await client.callTool(thought(about));
    expect(outcomeOf(late)).toBe("needs_approval");
    expect(JSON.stringify(late.content)).not.toContain(id);
  });

  it("cannot approve anything on a token that is not interactive", async () => {
    const { client, heard } = await clientSaying(era, { decision: "once" }, false);
    expect(outcomeOf(await client.callTool(thought(`${era} not interactive`)))).toBe("needs_approval");
    expect(heard).toEqual([]);
  });

  it("that cannot be asked is told what a person can do, and calls again", async () => {
    const client: Client = await gateway.client("asker", era, { token: { interactive: true } });
    const asked = await client.callTool(thought(`${era} neither`));
    expect(outcomeOf(asked)).toBe("needs_approval");
    const { id } = await pending();
    expect(JSON.stringify(asked.content)).toContain(`toolkeep approval approve ${id}`);
    await gateway.hub.questions.answer(id, "once", EVE);
    expect((await client.callTool(thought(`${era} neither`))).isError).toBeFalsy();
    expect(outcomeOf(await client.callTool(thought(`${era} neither`)))).toBe("needs_approval");
  });

  it("that follows progress waits for the answer", async () => {
    const client = await gateway.client("asker", era);
    const about = `${era} progress`;
    const waiting = client.callTool(thought(about), { onprogress: () => {} });
    await waitUntil("it is asked", async () => JSON.stringify((await pending())?.details).includes(about));
    await gateway.hub.questions.answer((await pending()).id, "once", EVE);
    expect((await waiting).isError).toBeFalsy();
  });
});

describe("what a client of 2026-07-28 brings back", () => {
  async function post(token: string, params: Record<string, unknown>, agentUrl = gateway.url) {
    const message: Message = modernMessage("tools/call", params);
    const headers = { ...bearer(token), ...modernHeaders(message) };
    const response = await fetch(agentUrl, { method: "POST", headers, body: JSON.stringify(message) });
    const text = await response.text();
    const line = text.startsWith("{") ? text : text.split("\n").find((each) => each.startsWith("data: {"))!;
    return JSON.parse(line.replace(/^data: /, ""));
  }
  const yes = { toolkeep_approval: { action: "accept", content: { decision: "once" } } };

  async function asked(about: string) {
    const token = await gateway.token("asker", { interactive: true });
    const { result } = await post(token, thought(about));
    expect(result.resultType).toBe("input_required");
    return { token, retry: { ...thought(about), requestState: result.requestState, inputResponses: yes } };
  }

  it("is refused for other arguments, and a second time", async () => {
    const { token, retry } = await asked("harmless");
    const altered = await post(token, { ...retry, arguments: { thought: "harmful" } });
    expect(outcomeOf(altered.result)).toBe("denied");
    expect(outcomeOf((await post(token, retry)).result)).toBe("ok");
    expect(outcomeOf((await post(token, retry)).result)).toBe("denied");
  });

  it("is refused with another token, of the same agent or another's", async () => {
    const { retry } = await asked("stolen");
    for (const agent of ["asker", "other"]) {
      const thief = await gateway.token(agent, { interactive: true });
      expect((await post(thief, retry)).error.message).toContain("requestState is not one");
    }
  });

  it("is refused when it was changed", async () => {
    const { token, retry } = await asked("changed");
    const { requestState: whole } = retry;
    const requestState = `${whole.slice(0, 60)}${whole[60] === "A" ? "B" : "A"}${whole.slice(61)}`;
    expect((await post(token, { ...retry, requestState })).error).toBeDefined();
  });

  it("is taken by another daemon with the same home, as after a restart", async () => {
    const { token, retry } = await asked("restarted");
    expect(outcomeOf((await post(token, retry, await gateway.again())).result)).toBe("ok");
  });
});

it("calls that come together at /rpc ask once", async () => {
  const token = await gateway.token("other");
  const url = gateway.url.replace(/mcp$/, "rpc");
  const batch = ["one", "two"].map((about, id) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: thought(`together ${about}`),
  }));
  const send = async () => {
    const response = await fetch(url, {
      method: "POST",
      headers: bearer(token),
      body: JSON.stringify(batch),
    });
    return (await response.json()) as { error?: { data: { details: { approvalId: string } } } }[];
  };
  const ids = (await send()).map(({ error }) => error?.data.details.approvalId);
  expect(new Set(ids).size).toBe(1);
  expect((await pending()).details.calls).toHaveLength(2);
  await gateway.hub.questions.answer(ids[0]!, "once", EVE);
  expect((await send()).map(({ error }) => error)).toEqual([undefined, undefined]);
});
