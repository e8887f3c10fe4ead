import { describe, expect, it } from "vitest";
import { projectsOf } from "../../../../support/project-stores.ts";
import { testApi } from "../../../../support/test-api.ts";
import { typed } from "../../../../support/typed.ts";

describe("toolkeep project", () => {
  it("says what to do where there is none yet", async () => {
    await using api = await testApi();
    expect((await typed(api, ["project", "list"])).out).toContain("toolkeep project create NAME");
    expect((await typed(api, ["project", "list", "--archived"])).out).toBe("No project is archived.\n");
    expect((await typed(api, ["project", "show", "TK"])).code).toBe(3);
  });

  it("creates, lists, shows, edits, archives and deletes", async () => {
    await using api = await testApi();
    const read = async () => "From standard input.\n";
    const made = await typed(api, ["project", "create", "Tool keeper", "--description", "-"], { read });
    expect(made.out).toContain("Created project TK.");
    await projectsOf(api.hub).tickets.create("TK", { title: "One" }, null);
    expect((await typed(api, ["project", "list"])).out).toMatch(
      /TK +Tool keeper +active +1 unfinished of 1 ticket +0/,
    );
    const shown = (await typed(api, ["project", "show", "tk"])).out;
    expect(shown).toContain("From standard input.");
    expect(shown).toContain("toolkeep ticket list --project TK");
    expect((await typed(api, ["project", "edit", "TK"])).code).toBe(2);
    await typed(api, ["project", "edit", "TK", "--name", "Toolkeep"]);
    expect((await typed(api, ["project", "delete", "TK", "--yes"])).err).toContain("Archive it first");
    expect((await typed(api, ["project", "archive", "TK"])).out).toContain("--status active");
    expect((await typed(api, ["project", "list"])).out).toContain("No projects yet");
    const json = JSON.parse((await typed(api, ["project", "list", "--all", "--json"])).out);
    expect(json).toMatchObject({ total: 1, projects: [{ key: "TK", name: "Toolkeep", status: "archived" }] });
    expect((await typed(api, ["project", "edit", "TK", "--status", "lost"])).err).toContain(
      "active, archived",
    );
    await typed(api, ["project", "edit", "TK", "--status", "active"]);
    expect((await typed(api, ["project", "delete", "TK", "--force", "--yes"])).out).toBe(
      "Deleted project TK.\n",
    );
  });

  it("shows notes, without what could move the cursor", async () => {
    await using api = await testApi();
    await projectsOf(api.hub).create({ name: "Tool keeper" }, null);
    expect((await typed(api, ["project", "notes", "TK"])).out).toContain("add_project_note");
    await projectsOf(api.hub).notes.create(
      "TK",
      { title: "Deploying\u001b[2J", body: "Press it.", tags: ["ops"] },
      null,
    );
    const { out } = await typed(api, ["project", "notes", "TK", "how", "to", "deploy"]);
    expect(out).toMatch(/^Deploying\[2J \[ops\]\nnote_\w+, by a person, \d+s ago\n\nPress it\.\n$/);
    expect((await typed(api, ["project", "notes", "TK", "--tag", "none"])).out).toContain("No note fits");
  });
});
