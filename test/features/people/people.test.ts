import { readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { QuestionRecord } from "../../../src/call/questions/contract.ts";
import type { Progress } from "../../../src/contract/tool.ts";
import { withHeartbeat } from "../../../src/lib/flow/heartbeat.ts";
import { callTables } from "../../support/call-tables.ts";
import { type NativeOptions, type TestNative, testNative, textOf } from "../../support/native.ts";
import { trustStores } from "../../support/trust-stores.ts";
import { waitUntil } from "../../support/wait-until.ts";

let t: TestNative;
afterEach(() => t[Symbol.asyncDispose]());
const start = async (options?: NativeOptions) => {
  t = await testNative(options);
};

async function pending(): Promise<QuestionRecord> {
  await waitUntil(
    "a question is asked",
    async () => (await t.questions.list({ state: "pending" })).length > 0,
  );
  return (await t.questions.list({ state: "pending" }))[0]!;
}

describe("prompt_human", () => {
  it("waits for the answer and gives it back", async () => {
    await start({ waitMs: 30_000 });
    const asked = t.call("prompt_human", { question: "Which colour?", choices: ["red", "blue"] });
    const question = await pending();
    expect(question).toMatchObject({
      kind: "human",
      prompt: "Which colour?",
      details: { choices: ["red", "blue"] },
    });
    await t.questions.answer(question.id, "blue");
    expect(await asked).toMatchObject({ kind: "output", structured: { answer: "blue" } });
  });

  it("ends in needs_input when nobody answers, and the same call later picks the answer up, once", async () => {
    await start();
    const args = { question: "Ready?" };
    const first = await t.call("prompt_human", args);
    if (first.kind !== "needs_input") throw new Error(first.kind);
    expect(first.message).toContain(`toolkeep question answer ${first.questionId}`);
    expect(await t.call("prompt_human", args)).toMatchObject({ questionId: first.questionId });
    await t.questions.answer(first.questionId, "yes");
    expect(textOf(await t.call("prompt_human", args))).toBe("yes");
    expect((await t.call("prompt_human", args)).kind).toBe("needs_input");
  });

  it("says when a person dismissed the question, also one that waited no more", async () => {
    await start();
    const asked = await t.call("prompt_human", { question: "Ready?" });
    await t.questions.dismiss(asked.kind === "needs_input" ? asked.questionId : "");
    expect(textOf(await t.call("prompt_human", { question: "Ready?" }))).toContain("was dismissed");
  });

  it("refuses the twenty-first open question", async () => {
    await start();
    for (let number = 0; number < 20; number++)
      await t.call("prompt_human", { question: `Question ${number}?` });
    expect(textOf(await t.call("prompt_human", { question: "One more?" }))).toContain(
      "20 unanswered questions",
    );
    expect((await t.call("prompt_human", { question: "Question 7?" })).kind).toBe("needs_input");
  });

  it("stops waiting when the call is cancelled; the question stays", async () => {
    await start({ waitMs: 30_000 });
    const cancel = new AbortController();
    const asked = t.call("prompt_human", { question: "Ready?" }, { signal: cancel.signal });
    const question = await pending();
    cancel.abort();
    expect(textOf(await asked)).toBe("The call was cancelled.");
    expect((await pending()).id).toBe(question.id);
  });

  it("reports progress while it waits", async () => {
    const updates: Progress[] = [];
    const context = { progress: (update: Progress) => void updates.push(update) };
    const work = waitUntil("there were two beats", () => updates.length >= 2);
    await withHeartbeat(context, () => "waiting", work, 10);
    expect(updates.slice(0, 2)).toEqual([
      { progress: 1, message: "waiting" },
      { progress: 2, message: "waiting" },
    ]);
    await start();
  });
});

describe("prompt_secret", () => {
  it("stores the value and tells the model only the name", async () => {
    await start({ waitMs: 30_000 });
    const asked = t.call("prompt_secret", { name: "API_KEY", reason: "to call the API" });
    const question = await pending();
    expect(question).toMatchObject({ kind: "secret", details: { name: "API_KEY" } });
    await t.questions.answer(question.id, "s3cr3t-value");
    const result = await asked;
    expect(textOf(result)).toBe("The secret API_KEY is stored.");
    expect(JSON.stringify(result)).not.toContain("s3cr3t");
    expect(t.secrets.get("API_KEY")).toBe("s3cr3t-value");
    expect(JSON.stringify(await t.store.dump())).not.toContain("s3cr3t");
  });

  it("does not ask for what is stored unless told to replace it", async () => {
    await start();
    t.secrets.set("API_KEY", "old");
    const args = { name: "API_KEY", reason: "expired" };
    expect(textOf(await t.call("prompt_secret", args))).toContain("already stored");
    expect((await t.call("prompt_secret", { ...args, replace: true })).kind).toBe("needs_input");
    expect((await pending()).prompt).toContain("A new value for the secret API_KEY");
  });
});

describe("notify", () => {
  it("leaves a notification", async () => {
    await start();
    await t.call("notify", { title: "Done", body: "All of it", level: "warning" });
    expect(await trustStores(t.store).notifications.list()).toMatchObject([
      { title: "Done", body: "All of it", level: "warning", agentId: "agt_test", dismissedAt: null },
    ]);
  });

  it("is refused while a hundred wait for a person", async () => {
    await start();
    for (let number = 0; number < 100; number++) await t.call("notify", { title: `n${number}` });
    expect(textOf(await t.call("notify", { title: "more" }))).toContain("at most 100");
    expect((await t.call("notify", { title: "mine" }, { caller: { agentId: "agt_other" } })).kind).toBe(
      "output",
    );
  });
});

describe("attach_file", () => {
  it("keeps a copy that outlives the file", async () => {
    await start();
    await t.call("write_file", { path: "report.md", content: "# Report" });
    const result = await t.call("attach_file", { path: "report.md", note: "the report" });
    expect(result).toMatchObject({
      kind: "output",
      content: [
        { type: "text" },
        { type: "resource_link", name: "report.md", mimeType: "text/markdown", size: 8 },
      ],
    });
    await t.call("write_file", { path: "report.md", content: "changed" });
    const [attachment] = await callTables(t.store).attachments.list();
    expect(attachment).toMatchObject({
      name: "report.md",
      bytes: 8,
      note: "the report",
      agentId: "agt_test",
    });
    expect(await readFile(join(t.home, attachment!.path), "utf8")).toBe("# Report");
  });

  it("refuses what is missing, outside or over 50 MB, and leaves nothing behind", async () => {
    await start();
    await t.call("list_directory");
    await writeFile(join(t.workspace, "huge"), "");
    await truncate(join(t.workspace, "huge"), 50 * 1024 * 1024 + 1);
    expect(textOf(await t.call("attach_file", { path: "huge" }))).toContain("is larger than");
    expect(textOf(await t.call("attach_file", { path: "nothing" }))).toContain("There is no file");
    expect(textOf(await t.call("attach_file", { path: "/etc/passwd" }))).toContain("is outside");
    expect(await readdir(join(t.home, "attachments"))).toEqual([]);
    expect(await callTables(t.store).attachments.list()).toEqual([]);
  });

  it("may be cancelled at any moment: nothing is left, and no error goes astray", async () => {
    await start();
    await t.call("list_directory");
    await writeFile(join(t.workspace, "report.md"), "x".repeat(200_000));
    for (let turns = 0; turns < 60; turns++) {
      const stop = new AbortController();
      const calling = t.call("attach_file", { path: "report.md" }, { signal: stop.signal });
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      stop.abort("cancelled");
      await calling.catch(() => {});
    }
    const kept = await callTables(t.store).attachments.list();
    expect((await readdir(join(t.home, "attachments"))).sort()).toEqual(kept.map(({ id }) => id).sort());
  });
});
