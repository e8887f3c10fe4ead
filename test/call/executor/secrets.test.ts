import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { Vault } from "../../../src/call/vault/vault.ts";
import { type Tool, text } from "../../../src/contract/tool.ts";
import { openExecutor } from "../../support/executor.ts";
import { memorySecrets } from "../../support/memory-secrets.ts";
import { testTool } from "../../support/tools.ts";
import { waitUntil } from "../../support/wait-until.ts";

const VALUE = "s3cret/value+x";
const ARGS = { url: "https://api.example.com/", token: "{{secret:TOKEN}}", at: 1 };

/** A tool that records its arguments and repeats them everywhere it can. */
function echo(got: unknown[]): Tool {
  return testTool({
    name: "echo",
    flags: { readOnly: false, concurrencySafe: false, destructive: true },
    inputSchema: { type: "object", properties: { token: { type: "string", maxLength: 20 } } },
    async run(args, { progress, answering, signal }) {
      got.push(args);
      const inquiry = { method: "elicitation/create", params: { message: `is it ${args.token}?` } } as const;
      await answering?.answer(inquiry, signal);
      progress({ progress: 1, message: JSON.stringify(args) });
      const encoded = Buffer.from(JSON.stringify(args)).toString("base64");
      return { kind: "output", content: [text(`${JSON.stringify(args)} ${encoded}`)], structured: { args } };
    },
  });
}

async function open(rules: Parameters<typeof openExecutor>[0]["rules"] = [], waitMs = 0) {
  let now = 1;
  const vault = await Vault.open({ store: memorySecrets(), key: randomBytes(32), clock: () => now++ });
  const bindings = { tools: ["echo"], hosts: ["api.example.com"], agents: null };
  await vault.put("TOKEN", VALUE, { bindings });
  const got: unknown[] = [];
  return { got, vault, run: await openExecutor({ tools: [echo(got)], rules, vault, waitMs }) };
}

it("a secret reaches its tool; who called, the audit and the progress see its name at most", async () => {
  const { got, run } = await open();
  await using _ = run;
  const told: unknown[] = [];
  const outcome = await run.call("echo", ARGS, { onProgress: (update) => told.push(update) });
  expect(outcome.outcome).toBe("ok");
  expect(got).toEqual([{ ...ARGS, token: VALUE }]);
  const [record] = await run.records();
  expect(JSON.stringify(record)).toContain("{{secret:TOKEN}}");
  const seen = JSON.stringify([outcome, record, told]);
  expect(seen).not.toContain("s3cret");
  expect(seen).not.toContain(Buffer.from("s3cret/value").toString("base64").slice(2, -4));
  expect(told).toHaveLength(1);
});

it("a person approves the call with the name, and the value that it has then is used", async () => {
  const { got, vault, run } = await open([{ permission: "echo", action: "ask", from: "user" }]);
  await using _ = run;
  expect(await run.call("echo", ARGS)).toMatchObject({ outcome: "needs_approval" });
  const [question] = await run.questions.list();
  expect(JSON.stringify(question)).toContain("{{secret:TOKEN}}");
  expect(JSON.stringify(question)).not.toContain(VALUE);
  await run.questions.answer(question!.id, "once");
  await vault.put("TOKEN", "another value");
  expect(await run.call("echo", ARGS)).toMatchObject({ outcome: "ok" });
  expect(got).toEqual([{ ...ARGS, token: "another value" }]);
});

it("an approval of a call with an agent's secret is void once the agent has set that secret again", async () => {
  const { got, vault, run } = await open([{ permission: "echo", action: "ask", from: "user" }]);
  await using _ = run;
  const own = { setBy: "agt_ada", bindings: { tools: ["echo"], hosts: ["api.example.com"], agents: null } };
  await vault.put("TOKEN", "harmless", own);
  await run.call("echo", ARGS);
  const [question] = await run.questions.list();
  await run.questions.answer(question!.id, "once");
  await vault.put("TOKEN", "rm -rf /home", own);
  expect(await run.call("echo", ARGS)).toMatchObject({ outcome: "needs_approval" });
  expect(await run.questions.list({ state: "pending" })).toHaveLength(1);
  expect(got).toEqual([]);
});

it("an approval is void as well when the secret changes while the call waits", async () => {
  const { got, vault, run } = await open([{ permission: "echo", action: "ask", from: "user" }], 60_000);
  await using _ = run;
  const own = { setBy: "agt_ada", bindings: { tools: ["echo"], hosts: ["api.example.com"], agents: null } };
  await vault.put("TOKEN", "harmless", own);
  const calling = run.call("echo", ARGS, { onProgress: () => {} });
  await waitUntil("it is asked", async () => (await run.questions.list({ state: "pending" })).length === 1);
  await vault.put("TOKEN", "rm -rf /home", own);
  const [question] = await run.questions.list();
  await run.questions.answer(question!.id, "once");
  expect(await calling).toMatchObject({
    outcome: "denied",
    error: { message: expect.stringContaining("changed while a person was asked") },
  });
  expect(got).toEqual([]);
});

it("a tool that asks its caller back does not get the secret across with the question", async () => {
  const { run } = await open();
  await using _ = run;
  const asked: unknown[] = [];
  const answer = async (inquiry: unknown) => ({ asked: asked.push(inquiry) });
  await run.call("echo", ARGS, { answering: { capabilities: {}, answer } });
  expect(asked).toEqual([{ method: "elicitation/create", params: { message: "is it [redacted]?" } }]);
});

it("a call that may not have the secret ends before its tool runs, and says only its name", async () => {
  const { got, run } = await open();
  await using _ = run;
  const outcome = await run.call("echo", { ...ARGS, url: "https://evil.example/" });
  expect(outcome).toMatchObject({
    outcome: "denied",
    error: { message: "the secret TOKEN is not bound to every host that this call goes to" },
  });
  expect(JSON.stringify(outcome)).not.toMatch(/s3cret|evil/);
  expect(await run.call("echo", { token: "{{secret:NONE}}" })).toMatchObject({
    outcome: "invalid_arguments",
  });
  expect(got).toEqual([]);
});
