import { describe, expect, it } from "vitest";
import { MAX_PROJECTS } from "../../../src/features/projects/contract.ts";
import { project } from "../../machine/db/contract/projects.ts";
import { projectStores } from "../../support/project-stores.ts";
import { PAGE, SECRET, testProjects } from "../../support/test-projects.ts";

describe("a project", () => {
  it("is found by its key in whatever case, its id, and its name where only one has it", async () => {
    await using t = await testProjects();
    const { id } = await t.projects.get("TK");
    for (const name of ["tk", id, "tool KEEPER"]) expect((await t.projects.get(name)).id, name).toBe(id);
    await t.projects.create({ name: "Tool keeper", key: "other" }, null);
    await expect(t.projects.get("Tool keeper")).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining("OTHER, TK"),
    });
    await expect(t.projects.get("TL")).rejects.toThrow("did you mean TK?");
  });

  it("says who made it, and how many tickets and notes it has", async () => {
    await using t = await testProjects();
    await t.projects.tickets.create("TK", { title: "One" }, null);
    await t.projects.tickets.create("TK", { title: "Two", status: "done" }, null);
    await t.projects.notes.create("TK", { title: "n", body: "b" }, null);
    const shown = await t.projects.get("TK");
    expect(shown).toMatchObject({ createdBy: "ada", notes: 1, tickets: { open: 1, done: 1, review: 0 } });
    expect(shown).not.toHaveProperty("lastNumber");
    expect((await t.projects.list(PAGE)).items).toEqual([shown]);
  });

  it("gets a key of its own from its name, also when many are made at the same moment", async () => {
    await using t = await testProjects();
    const made = await Promise.all(
      Array.from({ length: 8 }, () => t.projects.create({ name: "Tool keeper" }, null)),
    );
    expect(new Set(made.map(({ key }) => key)).size).toBe(8);
    expect(made.map(({ key }) => key)).not.toContain("TK");
  });

  it("cannot take the key of another", async () => {
    await using t = await testProjects();
    await expect(t.projects.create({ name: "Other", key: "tk" }, null)).rejects.toMatchObject({
      code: "NAME_TAKEN",
      message: "A project with the key TK already exists.",
    });
  });

  it("is changed only where nobody else was faster", async () => {
    await using t = await testProjects();
    const { revision } = await t.projects.get("TK");
    const changed = await t.projects.update("TK", { name: " Toolkeep " }, revision);
    expect(changed).toMatchObject({ name: "Toolkeep", revision: revision + 1, description: "" });
    await expect(t.projects.update("TK", { name: "Mine" }, revision)).rejects.toMatchObject({
      code: "CHANGED",
      message: expect.stringContaining("read it again"),
    });
    expect((await t.projects.update("TK", { description: "d" })).name).toBe("Toolkeep");
  });

  it("holds no secret and no blank name", async () => {
    await using t = await testProjects();
    const made = await t.projects.create({ name: "Key", description: `it is ${SECRET}` }, null);
    expect(made.description).toBe("it is [redacted]");
    await expect(t.projects.create({ name: " \n" }, null)).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await expect(t.projects.update("TK", { name: " " })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });

  it("that is archived keeps everything in it as it is", async () => {
    await using t = await testProjects();
    const { tickets, notes } = t.projects;
    await tickets.create("TK", { title: "One" }, null);
    const said = await tickets.comment("TK-1", "hi", null);
    const note = await notes.create("TK", { title: "n", body: "b" }, null);
    await t.projects.update("TK", { status: "archived" });
    for (const work of [
      () => tickets.create("TK", { title: "x" }, null),
      () => tickets.update("TK-1", { title: "x" }),
      () => tickets.comment("TK-1", "x", null),
      () => tickets.deleteComment("TK-1", said.id),
      () => tickets.delete("TK-1"),
      () => notes.create("TK", { title: "x", body: "x" }, null),
      () => notes.update("TK", note.id, { title: "x" }),
      () => notes.delete("TK", note.id),
    ])
      await expect(work(), String(work)).rejects.toMatchObject({
        code: "READ_ONLY",
        remedy: "Set its status to active first.",
      });
    expect((await t.projects.list({ ...PAGE, status: "active" })).total).toBe(0);
    await t.projects.update("TK", { status: "active" });
    expect((await tickets.update("TK-1", { title: "x" })).title).toBe("x");
  });

  it("is deleted when it is empty or archived, else only by force", async () => {
    await using t = await testProjects();
    await t.projects.create({ name: "Empty", key: "EM" }, null);
    await t.projects.delete("EM");
    await t.projects.tickets.create("TK", { title: "One" }, null);
    await expect(t.projects.delete("TK")).rejects.toMatchObject({ code: "IN_USE" });
    expect(await t.projects.delete("TK", { force: true })).toMatchObject({ key: "TK", tickets: { open: 1 } });
    await expect(t.projects.get("TK")).rejects.toThrow("there are none yet");
  });

  it("is one of so many at most", async () => {
    await using t = await testProjects();
    for (let at = 1; at < MAX_PROJECTS; at++) await projectStores(t.store).projects.create(project(`P${at}`));
    await expect(t.projects.create({ name: "One more" }, null)).rejects.toMatchObject({ code: "TOO_MANY" });
  });
});
