import { describe, expect, test } from "vitest";
import type { ToolOutcome } from "../../../src/contract/tool.ts";
import { taskStores } from "../../support/task-stores.ts";
import { type TestHub, testHub } from "../../support/test-hub.ts";

const TOOLS = [
  "create_task",
  "list_tasks",
  "get_task",
  "cancel_task",
  "list_input_requests",
  "answer_input_request",
  "read_reports",
];

/** `boss` has `worker` and `second`, `other` has `stranger`; both have the tools by a star. */
async function team(): Promise<TestHub> {
  const it = await testHub({
    agents: { boss: ["all"], other: ["all"], plain: [] },
    settings: { questions: { wait_ms: 0 } },
  });
  for (const name of ["worker", "second"]) await it.hub.identity.createAgent(name, { parent: "boss" });
  await it.hub.identity.createAgent("stranger", { parent: "other" });
  return it;
}

async function given(it: TestHub, by = "boss", agent = "worker", instructions?: string): Promise<string> {
  const args = { agent, title: "count the files", ...(instructions && { instructions }) };
  return taskOf(await it.call("create_task", args, by)).id;
}

function taskOf({ outcome, error, structured }: ToolOutcome): { id: string } & Record<string, unknown> {
  if (outcome !== "ok") throw new Error(error?.message);
  return structured?.task as { id: string } & Record<string, unknown>;
}

/** A list of what a call gave. */
function listIn<T>({ structured }: ToolOutcome, key: string): readonly T[] {
  return structured?.[key] as readonly T[];
}

describe("the tools for work of sub-agents", () => {
  test("are given by toolboxes; reading changes nothing, so that a batch may read together", async () => {
    await using it = await team();
    for (const name of TOOLS)
      expect(await it.call(name, {}, "plain"), name).toMatchObject({ outcome: "not_granted" });
    const reading = TOOLS.filter((name) => it.hub.catalog.get(name)?.flags.readOnly);
    expect(reading).toEqual(["list_tasks", "get_task", "list_input_requests"]);
  });
});

describe("a task", () => {
  test("goes from the one who gives it to the one who does it and back", async () => {
    await using it = await team();
    const told: unknown[] = [];
    it.hub.events.on("task.changed", (event) => told.push(event));
    const id = await given(it, "boss", "worker", "Count those of docs/ too.");

    const begun = await it.call("update_task_status", { status: "in_progress" }, "worker");
    expect(begun.text).toContain("Count those of docs/ too.");
    await it.call("update_task_status", { status: "done", note: "42" }, "worker");

    const shown = await it.call("get_task", { id }, "boss");
    expect(taskOf(shown)).toMatchObject({
      agent: "worker",
      status: "done",
      note: "42",
      assigned_by: "boss",
      instructions: "Count those of docs/ too.",
    });
    expect(told).toEqual([
      { task: id, agent: "worker", status: "open" },
      { task: id, agent: "worker", status: "in_progress" },
      { task: id, agent: "worker", status: "done" },
    ]);
  });

  test("is given to one's own sub-agents only, and strangers are not even named", async () => {
    await using it = await team();
    const refused = await it.call("create_task", { agent: "stranger", title: "x" }, "boss");
    expect(refused.error?.message).toBe('No sub-agent of yours is named "stranger". Yours: second, worker.');
    const nobody = await it.call("create_task", { agent: "nobody", title: "x" }, "boss");
    expect(nobody.error?.message).toBe('No sub-agent of yours is named "nobody". Yours: second, worker.');
    expect(await taskStores(it.hub.store).tasks.list()).toEqual([]);
  });

  test("is seen by the agent that has it and by its parent, by nobody else", async () => {
    await using it = await team();
    await it.hub.identity.updateAgent("worker", { toolboxes: ["all"] });
    const id = await given(it);
    expect((await it.call("get_task", { id }, "worker")).outcome).toBe("ok");
    const hidden = await it.call("get_task", { id }, "other");
    const absent = await it.call("get_task", { id: "tsk_none" }, "other");
    expect(hidden.error?.message).toBe(absent.error?.message.replace("tsk_none", id));
    expect((await it.call("cancel_task", { id }, "other")).outcome).toBe("failed");
    expect((await it.call("list_tasks", {}, "other")).structured).toMatchObject({ tasks: [], total: 0 });
    expect((await it.call("list_tasks", {}, "worker")).structured).toMatchObject({ tasks: [{ id }] });
    expect((await it.call("list_tasks", {})).structured).toMatchObject({ tasks: [{ id }] });
  });

  test("is listed newest first, by agent and state, page by page", async () => {
    await using it = await team();
    const first = await given(it);
    const second = await given(it, "boss", "second");
    await it.call("update_task_status", { status: "blocked" }, "second");
    const ids = async (args: object) => {
      const listed = await it.call("list_tasks", args, "boss");
      return listIn<{ id: string }>(listed, "tasks").map((task) => task.id);
    };
    expect((await ids({})).sort()).toEqual([first, second].sort());
    expect(await ids({ agent: "worker" })).toEqual([first]);
    expect(await ids({ status: "blocked" })).toEqual([second]);
    expect(await ids({ limit: 1 })).toHaveLength(1);
    expect((await it.call("list_tasks", { agent: "stranger" }, "boss")).outcome).toBe("failed");
  });

  test("that is cancelled is over: the sub-agent is told and cannot take it up again", async () => {
    await using it = await team();
    const id = await given(it);
    const cancelled = await it.call("cancel_task", { id, reason: "no longer needed" }, "boss");
    expect(taskOf(cancelled)).toMatchObject({ status: "cancelled", note: "no longer needed" });
    expect((await it.call("update_task_status", { status: "done" }, "worker")).error?.message).toContain(
      "You have no unfinished task",
    );
    const insisting = await it.call("update_task_status", { status: "done", task_id: id }, "worker");
    expect(insisting.error?.message).toBe(`Task ${id} was cancelled: no longer needed. Stop working on it.`);
    expect((await it.call("cancel_task", { id }, "boss")).error?.message).toContain("is cancelled");
  });

  test("of a person is not for the parent to cancel", async () => {
    await using it = await team();
    const { id } = taskOf(await it.call("create_task", { agent: "worker", title: "mine" }));
    expect((await it.call("cancel_task", { id }, "boss")).error?.message).toContain("given by a person");
    expect((await it.call("cancel_task", { id })).outcome).toBe("ok");
  });

  test("is refused where a hundred are unfinished", async () => {
    await using it = await team();
    for (let count = 0; count < 100; count++) await given(it);
    expect((await it.call("create_task", { agent: "worker", title: "x" }, "boss")).error?.message).toContain(
      "worker has 100 unfinished tasks already",
    );
  });
});

describe("a question of a sub-agent", () => {
  test("reaches its parent, whose answer it picks up", async () => {
    await using it = await team();
    const id = await given(it);
    const ask = () => it.call("request_input", { question: "Which folder?" }, "worker");
    expect((await ask()).outcome).toBe("needs_input");

    const listed = await it.call("list_input_requests", {}, "boss");
    const [request] = listIn<{ id: string }>(listed, "input_requests");
    expect(request).toMatchObject({ agent: "worker", question: "Which folder?" });
    expect((await it.call("get_task", { id }, "boss")).text).toContain("Which folder?");

    const answered = await it.call("answer_input_request", { id: request!.id, answer: "docs/" }, "boss");
    expect(answered).toMatchObject({ outcome: "ok", structured: { agent: "worker" } });
    expect((await ask()).text).toBe("docs/");
    expect((await it.call("answer_input_request", { id: request!.id, answer: "no" }, "boss")).outcome).toBe(
      "failed",
    );
    expect((await it.call("list_input_requests", {}, "boss")).text).toBe("No sub-agent asks anything.");
  });

  test("is neither seen nor answered by another agent, and what is asked of people is for people", async () => {
    await using it = await team();
    await it.call("request_input", { question: "Which folder?" }, "worker");
    await it.call("prompt_human", { question: "May I?" }, "worker");
    const [toParent, toPerson] = await it.hub.questions.list({ state: "pending" });
    expect((await it.call("list_input_requests", {}, "other")).structured).toMatchObject({ total: 0 });
    for (const [id, by] of [
      [toParent!.id, "other"],
      [toPerson!.id, "boss"],
    ] as const)
      expect((await it.call("answer_input_request", { id, answer: "x" }, by)).outcome).toBe("failed");
    expect(await it.hub.questions.list({ state: "pending" })).toHaveLength(2);
  });
});

describe("read_reports", () => {
  test("gives each report once, oldest first, and only to whom it was made", async () => {
    await using it = await team();
    for (const [agent, message] of [
      ["worker", "first"],
      ["second", "second"],
      ["stranger", "not yours"],
      ["worker", "third"],
    ] as const)
      await it.call("report_to_parent", { message }, agent);
    const read = async (args: object = {}) => {
      const read = await it.call("read_reports", args, "boss");
      return listIn<{ text: string }>(read, "reports").map((report) => report.text);
    };
    expect(await read({ agent: "second" })).toEqual(["second"]);
    expect(await read({ limit: 1 })).toEqual(["first"]);
    expect(await read()).toEqual(["third"]);
    expect(await read()).toEqual([]);
    expect(await read({ include_read: true })).toEqual(["first", "second", "third"]);
  });

  test("gives no more at once than is shown whole", async () => {
    await using it = await team();
    const long = "x".repeat(25_000);
    for (let count = 0; count < 2; count++) await it.call("report_to_parent", { message: long }, "worker");
    const first = await it.call("read_reports", {}, "boss");
    expect(first).toMatchObject({ truncated: false, structured: { unread: 1 } });
    expect((await it.call("read_reports", {}, "boss")).structured).toMatchObject({ unread: 0 });
  });
});
