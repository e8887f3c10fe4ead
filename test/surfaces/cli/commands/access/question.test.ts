import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestApi, testApi } from "../../../../support/test-api.ts";
import { typed } from "../../../../support/typed.ts";

let api: TestApi;
let asked = 0;

beforeAll(async () => {
  api = await testApi({
    agents: { main: [], other: [] },
    rules: [{ permission: "think", action: "ask" }],
    settings: { questions: { wait_ms: 0 } },
  });
});
afterAll(() => api[Symbol.asyncDispose]());

async function askApproval(agent = "main") {
  const thought = `number ${++asked}`;
  const call = () => api.call("think", { thought }, agent);
  return { id: (await call()).error?.details?.approvalId as string, call };
}

async function askHuman(): Promise<string> {
  await api.call("prompt_human", { question: `Which one, ${++asked}?` }, "main");
  return (await api.hub.questions.list({ kind: "human", state: "pending" })).at(-1)!.id;
}

const idsIn = (out: string) => JSON.parse(out).questions.map(({ id }: { id: string }) => id);

describe("toolkeep question", () => {
  it("list shows approvals and other questions, and narrows them by kind, state and agent", async () => {
    const [mine, others, human] = [
      (await askApproval()).id,
      (await askApproval("other")).id,
      await askHuman(),
    ];
    const { out } = await typed(api, ["question", "list"]);
    expect(out).toContain(`toolkeep question answer ${mine} once | conversation | always | reject`);
    expect(out).toContain("Asked because of rule user: think → ask");
    expect(out).toContain(`toolkeep question answer ${human} TEXT`);
    const list = async (...flags: string[]) =>
      idsIn((await typed(api, ["question", "list", "--json", ...flags])).out);
    expect(await list()).toEqual([mine, others, human]);
    expect(await list("--kind", "approval")).toEqual([mine, others]);
    expect(await list("--kind", "approval", "--agent", "other")).toEqual([others]);
    await typed(api, ["question", "dismiss", human]);
    expect(await list("--state", "dismissed")).toEqual([human]);
    expect(await list("--all")).toEqual([mine, others, human]);
    expect((await typed(api, ["question", "list", "--kind", "secret"])).out).toBe("No matching questions.\n");
    expect((await typed(api, ["question", "list", "--all", "--state", "used"])).code).toBe(2);
    expect((await typed(api, ["question", "list", "--state", "odd"])).code).not.toBe(0);
  });

  it("answer takes every answer of an approval, and show tells who gave it", async () => {
    const rejected = await askApproval();
    await typed(api, ["question", "answer", rejected.id, "reject", "--reason", "not today"]);
    expect((await rejected.call()).error?.message).toContain("not today");
    expect((await typed(api, ["question", "show", rejected.id])).out).toMatch(/reject by .*: not today/);
    const always = await askApproval();
    const { out } = await typed(api, ["question", "answer", always.id, "always", "--pattern", "number*"]);
    const [rule] = api.hub.ruleBook.list();
    expect(rule).toMatchObject({ permission: "think", pattern: "number*" });
    expect(out).toContain(`toolkeep rule remove ${rule!.id}`);
    await api.hub.ruleBook.remove(rule!.id);
  });

  it("show gives other questions, and what is no approval is none for toolkeep approval", async () => {
    const id = await askHuman();
    expect((await typed(api, ["question", "show", id])).out).toContain("Which one");
    for (const command of [["show"], ["approve"], ["reject"]])
      expect((await typed(api, ["approval", ...command, id])).err).toContain(`no approval has the id ${id}`);
    expect((await api.hub.questions.get(id))?.state).toBe("pending");
    expect((await typed(api, ["question", "answer", id, "the first"])).code).toBe(0);
    expect((await typed(api, ["question", "show", id])).out).toContain("the first by ");
  });

  it("approval prints what it printed before", async () => {
    const { id } = await askApproval();
    const json = async (...args: string[]) =>
      JSON.parse((await typed(api, ["approval", ...args, "--json"])).out);
    expect((await json("list")).approvals.at(-1)).toMatchObject({ id, state: "pending" });
    expect(await json("show", id)).toEqual({ approval: expect.objectContaining({ id, kind: "approval" }) });
    expect(await json("approve", id)).toEqual({
      approval: expect.objectContaining({ id, answer: "once", state: "answered" }),
    });
  });
});
