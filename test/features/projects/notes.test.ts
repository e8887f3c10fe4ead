import { describe, expect, it } from "vitest";
import { MAX_NOTES } from "../../../src/features/projects/notes.ts";
import { note } from "../../machine/db/contract/projects.ts";
import { projectStores } from "../../support/project-stores.ts";
import { PAGE, SECRET, testProjects } from "../../support/test-projects.ts";

describe("notes of a project", () => {
  it("are found by words, title and tags before body, and listed newest first without any", async () => {
    await using t = await testProjects();
    const { notes } = t.projects;
    await notes.create("TK", { title: "Hosts", body: "We deploy to three of them." }, null);
    await notes.create("TK", { title: "Deploying", body: "Press the button." }, "agt_ada");
    await notes.create("TK", { title: "Lunch", body: "At noon.", tags: ["Deploy", "food"] }, null);
    const titles = async (query: object, page = PAGE) =>
      (await notes.search("tk", query, page)).items.map(({ title }) => title);
    expect(await titles({})).toEqual(["Lunch", "Deploying", "Hosts"]);
    const found = await titles({ text: "deploys" });
    expect(found).toHaveLength(3);
    expect(found.at(-1)).toBe("Hosts");
    expect(await titles({ tag: " FOOD " })).toEqual(["Lunch"]);
    expect(await titles({ text: "deploy", tag: "food" })).toEqual(["Lunch"]);
    expect(await titles({ text: "zebra" })).toEqual([]);
    expect(await titles({ text: "  " })).toHaveLength(3);
    expect(await notes.search("TK", {}, { limit: 1, offset: 1 })).toMatchObject({
      total: 3,
      items: [{ title: "Deploying", project: "TK", createdBy: "ada" }],
    });
  });

  it("are changed only where nobody else was faster, and belong to one project", async () => {
    await using t = await testProjects();
    const { notes } = t.projects;
    await t.projects.create({ name: "Other", key: "OT" }, null);
    const made = await notes.create("TK", { title: "n", body: `b ${SECRET}`, tags: ["a"] }, null);
    expect(made.body).toBe("b [redacted]");
    expect(await notes.update("TK", made.id, { tags: [] }, 1)).toMatchObject({
      title: "n",
      tags: [],
      revision: 2,
    });
    await expect(notes.update("TK", made.id, { title: "x" }, 1)).rejects.toMatchObject({ code: "CHANGED" });
    await expect(notes.update("OT", made.id, { title: "x" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(notes.get("OT", made.id)).rejects.toThrow("project OT has no note");
    await expect(notes.update("TK", made.id, { body: " " })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect(await notes.delete("TK", made.id)).toMatchObject({ id: made.id });
    await expect(notes.delete("TK", made.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(t.told).toEqual(["OT", "TK", "TK", "TK"]);
  });

  it("are so many at most", async () => {
    await using t = await testProjects();
    const { id: projectId } = await t.projects.get("TK");
    for (let at = 0; at < MAX_NOTES; at++)
      await projectStores(t.store).projectNotes.create(note(`n${at}`, { projectId }));
    await expect(t.projects.notes.create("TK", { title: "x", body: "x" }, null)).rejects.toMatchObject({
      code: "TOO_MANY",
    });
  });
});
