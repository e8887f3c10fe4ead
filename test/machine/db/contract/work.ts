import { expect, test } from "vitest";
import type { AttachmentRecord } from "../../../../src/features/people/tables.ts";
import type { MessageRecord, TaskRecord } from "../../../../src/work/tasks/contract.ts";
import { callTables } from "../../../support/call-tables.ts";
import { taskStores } from "../../../support/task-stores.ts";
import { todoLists } from "../../../support/todo-lists.ts";
import { NOW } from "../records.ts";
import type { FreshStore } from "../stores.ts";

const task = (id: string, change: Partial<TaskRecord> = {}): TaskRecord => ({
  id,
  agentId: "agt_a",
  title: "Look",
  instructions: "Everywhere.",
  status: "open",
  note: "",
  assignedBy: null,
  createdAt: NOW,
  updatedAt: NOW,
  ...change,
});

const message = (id: string, change: Partial<MessageRecord> = {}): MessageRecord => ({
  id,
  fromAgentId: "agt_b",
  toAgentId: "agt_a",
  text: "found it",
  createdAt: NOW,
  readAt: null,
  ...change,
});

const attachment = (id: string, change: Partial<AttachmentRecord> = {}): AttachmentRecord => ({
  id,
  agentId: "agt_a",
  conversation: "c1",
  name: "plan.pdf",
  mimeType: "application/pdf",
  bytes: 5_000_000_000,
  path: `${id}/plan.pdf`,
  note: "",
  createdAt: NOW,
  ...change,
});

export function workContract(fresh: FreshStore): void {
  test("a task is created, moved on, and listed by agent", async () => {
    await using t = await fresh();
    const { tasks } = taskStores(t.store);
    await tasks.create(task("t2", { createdAt: NOW + 1 }));
    await tasks.create(task("t1", { agentId: "agt_b" }));
    await tasks.update("t1", { status: "done", note: "ok", updatedAt: NOW + 3 });
    expect(await tasks.get("t1")).toEqual(
      task("t1", { agentId: "agt_b", status: "done", note: "ok", updatedAt: NOW + 3 }),
    );
    expect((await tasks.list()).map((each) => each.id)).toEqual(["t1", "t2"]);
    expect((await tasks.list({ agentId: "agt_a" })).map((each) => each.id)).toEqual(["t2"]);
    expect(await tasks.get("no")).toBeUndefined();
    await expect(tasks.update("no", { note: "" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("a task is not moved on from a state that it is no longer in", async () => {
    await using t = await fresh();
    const { tasks } = taskStores(t.store);
    await tasks.create(task("t1"));
    await tasks.update("t1", { status: "cancelled" }, "open");
    await expect(tasks.update("t1", { status: "done" }, "open")).rejects.toMatchObject({ code: "CHANGED" });
    expect(await tasks.get("t1")).toMatchObject({ status: "cancelled" });
    await expect(tasks.update("no", { note: "" }, "open")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("of what is over only the newest 500 tasks and messages stay, of each agent", async () => {
    await using t = await fresh();
    const { tasks, messages } = taskStores(t.store);
    await tasks.create(task("open"));
    await tasks.create(task("over", { status: "done" }));
    await tasks.create(task("another's", { agentId: "agt_b", status: "done" }));
    await messages.create(message("unread"));
    await messages.create(message("read", { readAt: NOW }));
    for (let count = 1; count <= 500; count++) {
      await tasks.create(task(`t${count}`, { status: "done", createdAt: NOW + count }));
      await messages.create(message(`m${count}`, { readAt: NOW, createdAt: NOW + count }));
    }
    const found = (id: string) => tasks.get(id).then((each) => each?.id);
    expect(await Promise.all(["open", "over", "another's", "t1"].map(found))).toEqual([
      "open",
      undefined,
      "another's",
      "t1",
    ]);
    expect((await tasks.list({ agentId: "agt_a", unfinished: true })).map(({ id }) => id)).toEqual(["open"]);
    expect((await messages.list({ toAgentId: "agt_a", unread: true })).map(({ id }) => id)).toEqual([
      "unread",
    ]);
    const dumped = (await t.store.dump()).tables.messages!.map(({ id }) => id);
    expect([dumped.length, dumped.includes("read")]).toEqual([501, false]);
  });

  test("a to-do list belongs to one agent and conversation and is replaced whole", async () => {
    await using t = await fresh();
    const todos = todoLists(t.store);
    expect(await todos.get("agt_a", "c1")).toEqual([]);
    await todos.put("agt_a", "c1", [{ text: "one", status: "pending" }], NOW);
    await todos.put("agt_a", "c2", [{ text: "two", status: "done" }], NOW);
    await todos.put("agt_a", "c1", [{ text: "three", status: "in_progress" }], NOW + 1);
    expect(await todos.get("agt_a", "c1")).toEqual([{ text: "three", status: "in_progress" }]);
    expect(await todos.get("agt_a", "c2")).toEqual([{ text: "two", status: "done" }]);
  });

  test("messages are read once, and listed for their reader newest last", async () => {
    await using t = await fresh();
    const { messages } = taskStores(t.store);
    await messages.create(message("m2", { createdAt: NOW + 1 }));
    await messages.create(message("m1"));
    await messages.create(message("m3", { toAgentId: "agt_c" }));
    await messages.markRead(["m1", "unknown"], NOW + 5);
    await messages.markRead(["m1"], NOW + 9);
    await messages.markRead([], NOW);
    expect(await messages.list({ toAgentId: "agt_a" })).toEqual([
      message("m1", { readAt: NOW + 5 }),
      message("m2", { createdAt: NOW + 1 }),
    ]);
    expect((await messages.list({ toAgentId: "agt_a", unread: true })).map((each) => each.id)).toEqual([
      "m2",
    ]);
  });

  test("attachments are listed newest last, of one agent or of all", async () => {
    await using t = await fresh();
    const { attachments } = callTables(t.store);
    await attachments.create(attachment("b", { createdAt: NOW + 1 }));
    await attachments.create(attachment("a", { agentId: "agt_b" }));
    expect(await attachments.list()).toEqual([
      attachment("a", { agentId: "agt_b" }),
      attachment("b", { createdAt: NOW + 1 }),
    ]);
    expect((await attachments.list({ agentId: "agt_a" })).map((each) => each.id)).toEqual(["b"]);
  });
}
