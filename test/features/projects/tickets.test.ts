import { describe, expect, it } from "vitest";
import { ticketStatus } from "../../../src/features/projects/contract.ts";
import { MAX_COMMENTS, statusesOf } from "../../../src/features/projects/tickets.ts";
import { comment } from "../../machine/db/contract/projects.ts";
import { projectStores } from "../../support/project-stores.ts";
import { PAGE, SECRET, testProjects } from "../../support/test-projects.ts";

describe("a ticket", () => {
  it("begins open, with the next number of its project, and is told of", async () => {
    await using t = await testProjects();
    const { tickets } = t.projects;
    expect(await tickets.create("tk", { title: " Fix it " }, "agt_ada")).toMatchObject({
      ...{ ref: "TK-1", project: "TK", title: "Fix it", status: "open", priority: "normal" },
      ...{ assignee: null, createdBy: "ada", labels: [], comments: 0, description: "", revision: 1 },
    });
    expect(await tickets.create("TK", { title: "Next" }, null)).toMatchObject({
      ref: "TK-2",
      createdBy: null,
    });
    expect(t.told).toEqual(["TK-1", "TK-2"]);
  });

  it("is found by its number in whatever case and by its id; else it is said what there is", async () => {
    await using t = await testProjects();
    const { tickets } = t.projects;
    await expect(tickets.get("TK-1")).rejects.toThrow("it has none yet");
    const { id } = await tickets.create("TK", { title: "One" }, null);
    for (const name of ["TK-1", "tk-1", "TK-001", id]) expect((await tickets.get(name)).id, name).toBe(id);
    await expect(tickets.get("TK-9")).rejects.toThrow("its newest is TK-1");
    await expect(tickets.get("TX-1")).rejects.toThrow("did you mean TK?");
    for (const name of ["one", "TK-", "TK-99999999999999999999", "%", `${"x".repeat(5_000)}-1`])
      await expect(tickets.get(name), name).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("changes in what is given only, and only where nobody else was faster", async () => {
    await using t = await testProjects();
    const { tickets } = t.projects;
    const input = { title: "One", description: "why", labels: ["UI", "ui", " bug "], assignee: "ada" };
    const made = await tickets.create("TK", input, null);
    expect(made.labels).toEqual(["ui", "bug"]);
    const changed = await tickets.update("TK-1", { status: "review", assignee: null }, made.revision);
    expect(changed).toEqual({
      ...made,
      ...{ status: "review", assignee: null, revision: 2, updatedAt: changed.updatedAt },
    });
    await expect(tickets.update("TK-1", { title: "x" }, made.revision)).rejects.toMatchObject({
      code: "CHANGED",
    });
    const both = await Promise.allSettled([
      tickets.update("TK-1", { title: "left" }, 2),
      tickets.update("TK-1", { title: "right" }, 2),
    ]);
    expect(both.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("refuses labels that are none, and more than there may be", async () => {
    await using t = await testProjects();
    const { tickets } = t.projects;
    for (const labels of [
      ["two words"],
      [""],
      ["x".repeat(41)],
      Array.from({ length: 21 }, (_, at) => `l${at}`),
    ])
      await expect(tickets.create("TK", { title: "x", labels }, null)).rejects.toMatchObject({
        code: "BAD_REQUEST",
      });
    await expect(tickets.create("TK", { title: "x", assignee: "nobody-known" }, null)).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  it("keeps no secret in any of its texts", async () => {
    await using t = await testProjects();
    const { tickets } = t.projects;
    await tickets.create("TK", { title: `a ${SECRET}`, description: `b ${SECRET}` }, null);
    await tickets.comment("TK-1", `c ${SECRET}`, null);
    expect(JSON.stringify((await t.store.dump()).tables)).not.toContain(SECRET);
    expect(await tickets.get("TK-1")).toMatchObject({ title: "a [redacted]", description: "b [redacted]" });
  });

  it("has comments in the order they came, so many at most", async () => {
    await using t = await testProjects();
    const { tickets } = t.projects;
    const { id } = await tickets.create("TK", { title: "One" }, null);
    await tickets.comment("TK-1", " first ", "agt_ada");
    const second = await tickets.comment("tk-1", "second", null);
    expect(await tickets.comments("TK-1", PAGE)).toMatchObject({
      total: 2,
      items: [
        { text: "first", createdBy: "ada" },
        { text: "second", createdBy: null },
      ],
    });
    await tickets.deleteComment("TK-1", second.id);
    expect((await tickets.get("TK-1")).comments).toBe(1);
    await expect(tickets.comment("TK-1", "  ", null)).rejects.toMatchObject({ code: "BAD_REQUEST" });
    for (let at = 1; at < MAX_COMMENTS; at++)
      await projectStores(t.store).tickets.comment(comment(`c${at}`, { ticketId: id }));
    await expect(tickets.comment("TK-1", "one more", null)).rejects.toMatchObject({ code: "TOO_MANY" });
  });

  it("is gone when it is deleted, and its number is not given again", async () => {
    await using t = await testProjects();
    const { tickets } = t.projects;
    await tickets.create("TK", { title: "One" }, null);
    expect(await tickets.delete("TK-1")).toMatchObject({ ref: "TK-1" });
    await expect(tickets.comment("TK-1", "x", null)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect((await tickets.create("TK", { title: "Two" }, null)).ref).toBe("TK-2");
  });
});

describe("a list of tickets", () => {
  it("goes over all projects or one, and is narrowed", async () => {
    await using t = await testProjects();
    const { tickets } = t.projects;
    await t.projects.create({ name: "Other", key: "OT" }, null);
    await tickets.create("TK", { title: "Fix the door", assignee: "ada", labels: ["ui"] }, null);
    await tickets.create("OT", { title: "Fix the roof", status: "done" }, null);
    const refs = async (query: object) =>
      (await tickets.list({ ...PAGE, ...query })).items.map(({ ref }) => ref);
    expect(await refs({})).toEqual(["OT-1", "TK-1"]);
    expect(await refs({ project: "ot" })).toEqual(["OT-1"]);
    expect(await refs({ text: " FIX  door " })).toEqual(["TK-1"]);
    expect(await refs({ label: " UI " })).toEqual(["TK-1"]);
    expect(await refs({ assignee: null })).toEqual(["OT-1"]);
    expect(await refs({ assignee: "ada" })).toEqual(["TK-1"]);
    expect(await refs(statusesOf("unfinished"))).toEqual(["TK-1"]);
    expect(await refs(statusesOf("done"))).toEqual(["OT-1"]);
    expect(await refs(statusesOf("any"))).toHaveLength(2);
    expect((await tickets.list(PAGE)).items[0]).not.toHaveProperty("description");
  });

  it("calls everything unfinished but what is done or cancelled", () => {
    const finished = ticketStatus.options.filter(
      (status) => !statusesOf("unfinished").statuses?.includes(status),
    );
    expect(finished).toEqual(["done", "cancelled"]);
  });
});
