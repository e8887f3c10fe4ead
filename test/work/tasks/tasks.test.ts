import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Caller } from "../../../src/contract/caller.ts";
import type { TaskRecord } from "../../../src/work/tasks/contract.ts";
import { accessTables } from "../../support/access-tables.ts";
import { type TestNative, testNative, textOf } from "../../support/native.ts";
import { taskStores } from "../../support/task-stores.ts";
import { trustStores } from "../../support/trust-stores.ts";

const SUB_AGENT: { caller: Partial<Caller> } = {
  caller: { agentId: "agt_child", agentName: "child", context: "sub-agent", parentId: "agt_parent" },
};

let t: TestNative;
beforeEach(async () => {
  t = await testNative();
  const common = {
    description: "",
    scout: false,
    toolboxes: [],
    grants: [],
    folders: [],
    pins: [],
    model: null,
    headless: false,
    localModel: false,
    coordinator: false,
    createdAt: 1,
    updatedAt: 1,
  };
  await accessTables(t.store).agents.create({ id: "agt_parent", name: "parent", parentId: null, ...common });
  await accessTables(t.store).agents.create({
    id: "agt_child",
    name: "child",
    parentId: "agt_parent",
    ...common,
  });
});
afterEach(() => t[Symbol.asyncDispose]());

async function createTask(id: string, task: Partial<TaskRecord> = {}): Promise<void> {
  await taskStores(t.store).tasks.create({
    id,
    agentId: "agt_child",
    title: `Task ${id}`,
    instructions: "",
    assignedBy: null,
    status: "open",
    note: "",
    createdAt: 1,
    updatedAt: 1,
    ...task,
  });
}

describe("think", () => {
  it("changes nothing", async () => {
    const before = await t.store.dump();
    expect(textOf(await t.call("think", { thought: "hm" }))).toBe("Noted.");
    expect(await t.store.dump()).toEqual(before);
  });
});

describe("task_todos", () => {
  it("replaces and reads the list of one agent and conversation", async () => {
    expect(textOf(await t.call("task_todos"))).toBe("(the list is empty)");
    const items = [
      { text: "read", status: "done" },
      { text: "write", status: "in_progress" },
      { text: "rest", status: "pending" },
    ];
    await t.call("task_todos", { items });
    expect(textOf(await t.call("task_todos"))).toBe("[x] read\n[~] write\n[ ] rest");
    expect(textOf(await t.call("task_todos", {}, { caller: { conversation: "other" } }))).toBe(
      "(the list is empty)",
    );
    expect(textOf(await t.call("task_todos", {}, SUB_AGENT))).toBe("(the list is empty)");
    await t.call("task_todos", { items: [] });
    expect(await t.call("task_todos")).toMatchObject({ structured: { items: [] } });
  });
});

describe("update_task_status", () => {
  it("changes the only unfinished task", async () => {
    await createTask("tsk_old", { status: "done" });
    await createTask("tsk_new");
    await createTask("tsk_foreign", { agentId: "agt_parent" });
    const result = await t.call("update_task_status", { status: "blocked", note: "no key" }, SUB_AGENT);
    expect(result).toMatchObject({ kind: "output", structured: { id: "tsk_new", status: "blocked" } });
    expect(await taskStores(t.store).tasks.get("tsk_new")).toMatchObject({
      status: "blocked",
      note: "no key",
    });
    await t.call("update_task_status", { status: "done" }, SUB_AGENT);
    expect(await taskStores(t.store).tasks.get("tsk_new")).toMatchObject({ status: "done", note: "no key" });
  });

  it("asks which one when several are unfinished, and takes its id", async () => {
    await createTask("tsk_a");
    await createTask("tsk_b");
    const ambiguous = await t.call("update_task_status", { status: "done" }, SUB_AGENT);
    expect(ambiguous.kind).toBe("failed");
    expect(textOf(ambiguous)).toContain("tsk_a (open: Task tsk_a), tsk_b (open: Task tsk_b)");
    await t.call("update_task_status", { status: "done", task_id: "tsk_b" }, SUB_AGENT);
    expect((await taskStores(t.store).tasks.get("tsk_b"))?.status).toBe("done");
  });

  it("refuses another agent's task and says when there is none", async () => {
    expect(textOf(await t.call("update_task_status", { status: "done" }, SUB_AGENT))).toContain(
      "no unfinished task",
    );
    await createTask("tsk_foreign", { agentId: "agt_parent" });
    const foreign = await t.call("update_task_status", { status: "done", task_id: "tsk_foreign" }, SUB_AGENT);
    expect(textOf(foreign)).toContain('You have no task "tsk_foreign"');
    expect((await taskStores(t.store).tasks.get("tsk_foreign"))?.status).toBe("open");
  });
});

describe("report_to_parent", () => {
  it("sends a message to the parent", async () => {
    expect(textOf(await t.call("report_to_parent", { message: "half done" }, SUB_AGENT))).toContain(
      "Reported to parent",
    );
    expect(await taskStores(t.store).messages.list({ toAgentId: "agt_parent" })).toMatchObject([
      { fromAgentId: "agt_child", text: "half done", readAt: null },
    ]);
  });

  it("is refused while two hundred messages are unread", async () => {
    for (let number = 0; number < 200; number++)
      await t.call("report_to_parent", { message: "m" }, SUB_AGENT);
    expect(textOf(await t.call("report_to_parent", { message: "m" }, SUB_AGENT))).toContain(
      "unread messages",
    );
  });

  it("says that there is no parent where there is none", async () => {
    expect(textOf(await t.call("report_to_parent", { message: "m" }))).toContain("no parent agent");
  });
});

describe("request_input", () => {
  it("keeps a question for the parent and picks its answer up", async () => {
    const args = { question: "Which branch?" };
    const first = await t.call("request_input", args, SUB_AGENT);
    if (first.kind !== "needs_input") throw new Error(first.kind);
    expect(await trustStores(t.store).questions.get(first.questionId)).toMatchObject({
      kind: "parent",
      agentId: "agt_child",
      details: { parentId: "agt_parent" },
    });
    await t.questions.answer(first.questionId, "main");
    expect(textOf(await t.call("request_input", args, SUB_AGENT))).toBe("main");
  });

  it("says that there is no parent where there is none", async () => {
    expect(textOf(await t.call("request_input", { question: "?" }))).toContain("no parent agent");
  });
});
