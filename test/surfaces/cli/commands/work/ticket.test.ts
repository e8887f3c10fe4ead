import { describe, expect, it } from "vitest";
import { projectsOf } from "../../../../support/project-stores.ts";
import { type TestApi, testApi } from "../../../../support/test-api.ts";
import { typed } from "../../../../support/typed.ts";

async function withProject(): Promise<TestApi> {
  const api = await testApi({ agents: { coder: ["code"] } });
  await projectsOf(api.hub).create({ name: "Tool keeper" }, null);
  return api;
}

describe("toolkeep ticket", () => {
  it("creates, lists, shows, edits, comments and deletes", async () => {
    await using api = await withProject();
    expect((await typed(api, ["ticket", "list"])).out).toContain(
      "toolkeep ticket create TITLE --project PROJECT",
    );
    const create = ["ticket", "create", "Fix it", "--project", "tk", "--assignee", "coder"];
    expect((await typed(api, [...create, "--label", "ui", "--label", "bug"])).out).toBe(
      "Created ticket TK-1.\n",
    );
    expect((await typed(api, ["ticket", "list"])).out).toMatch(
      /TK-1 +open +normal +coder +0 .*Fix it #ui #bug/,
    );
    const read = async () => "It was\nthe door.\n";
    expect((await typed(api, ["ticket", "comment", "tk-1", "-"], { read })).out).toBe("Commented on TK-1.\n");
    const edit = ["ticket", "edit", "TK-1", "--status", "done", "--assignee", "nobody", "--no-labels"];
    expect((await typed(api, edit)).out).toBe("Changed ticket TK-1.\n");
    const { out } = await typed(api, ["ticket", "show", "TK-1"]);
    expect(out).toMatch(/status: +done\n/);
    expect(out).toMatch(/assignee: +nobody\n/);
    expect(out).not.toContain("labels");
    expect(out).toMatch(/a person, \d+s ago:\nIt was\nthe door\.\n$/);
    expect((await typed(api, ["ticket", "list"])).out).toContain("--status any lists finished ones too");
    const json = JSON.parse((await typed(api, ["ticket", "show", "TK-1", "--json"])).out);
    expect(json).toMatchObject({
      ticket: { ref: "TK-1", labels: [] },
      comments: [{ text: "It was\nthe door." }],
    });
    expect((await typed(api, ["ticket", "delete", "TK-1", "--yes"])).out).toBe("Deleted TK-1.\n");
    expect((await typed(api, ["ticket", "show", "TK-1"])).code).toBe(3);
  });

  it("narrows a list, and says how to read on", async () => {
    await using api = await withProject();
    const { tickets } = projectsOf(api.hub);
    for (const title of ["one door", "two doors", "a roof"]) await tickets.create("TK", { title }, null);
    const listed = async (...options: string[]) =>
      JSON.parse((await typed(api, ["ticket", "list", ...options, "--json"])).out).tickets.length;
    expect(await listed("--text", "door")).toBe(2);
    expect(await listed("--assignee", "coder")).toBe(0);
    expect(await listed("--project", "TK", "--status", "open", "--priority", "normal")).toBe(3);
    const page = ["ticket", "list", "--limit", "1", "--offset", "1"];
    expect((await typed(api, page)).out).toContain("(2 of 3; read on with --offset 2)");
    expect((await typed(api, ["ticket", "list", "--limit", "many"])).code).toBe(2);
  });

  it("wants a project to create in, and something to change", async () => {
    await using api = await withProject();
    await typed(api, ["ticket", "create", "Fix it"]);
    expect((await projectsOf(api.hub).tickets.list({ limit: 1, offset: 0 })).total).toBe(0);
    await projectsOf(api.hub).tickets.create("TK", { title: "One" }, null);
    expect((await typed(api, ["ticket", "edit", "TK-1"])).err).toContain("nothing to change");
    expect((await typed(api, ["ticket", "edit", "TK-1", "--status", "lost"])).err).toContain("in_progress");
  });
});
