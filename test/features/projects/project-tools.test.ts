import { describe, expect, it } from "vitest";
import { projectsOf } from "../../support/project-stores.ts";
import { type TestHub, testHub } from "../../support/test-hub.ts";

const setUp = () => testHub({ agents: { ada: ["code"], bob: ["code"], bare: [] } });

/** What a call gives, as a model reads it; it must have worked. */
async function done(test: TestHub, name: string, args: object, agent = "ada") {
  const outcome = await test.call(name, args, agent);
  expect(outcome, `${name} ${outcome.error?.message}`).toMatchObject({ outcome: "ok" });
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
  return { text: outcome.text, structured: outcome.structured as any };
}

describe("the project tools", () => {
  it("carry a piece of work from the project to the comment, between two agents", async () => {
    await using test = await setUp();
    expect((await done(test, "list_projects", {})).text).toContain("create_project makes one");
    expect((await done(test, "create_project", { name: "Tool keeper" })).structured.project.key).toBe("TK");
    const made = await done(test, "create_ticket", {
      project: "TK",
      title: "Fix it",
      assignee: "bob",
      labels: ["ui"],
    });
    expect(made.text).toBe("Created TK-1: Fix it (open; for bob; labels ui)");
    expect((await done(test, "list_tickets", { assignee: "me" }, "bob")).text).toContain("TK-1: Fix it");
    expect((await done(test, "list_tickets", { assignee: "me" })).text).toContain("No ticket fits");
    const { revision } = (await done(test, "get_ticket", { ticket: "tk-1" }, "bob")).structured.ticket;
    await done(test, "update_ticket", { ticket: "TK-1", status: "done", revision }, "bob");
    await done(test, "comment_ticket", { ticket: "TK-1", text: "It was the door." }, "bob");
    const shown = await done(test, "get_ticket", { ticket: "TK-1" });
    expect(shown.text).toMatch(
      /^TK-1: Fix it \(done; .*comments: 1\)\nby ada at .* revision 2\n\nbob at .*:\nIt was the door\.$/s,
    );
    expect(shown.structured.comments).toMatchObject([{ created_by: "bob", text: "It was the door." }]);
    expect((await done(test, "list_tickets", {})).text).toContain("status any lists finished ones too");
    expect((await done(test, "list_tickets", { status: "any" })).structured.total).toBe(1);
    expect((await done(test, "get_project", { project: "TK" })).text).toContain("tickets: 1 done; notes: 0");
  });

  it("keep notes and find them again", async () => {
    await using test = await setUp();
    await done(test, "create_project", { name: "Tool keeper" });
    const note = { project: "TK", title: "Deploying", body: "Press the button.", tags: ["ops"] };
    const { id, revision } = (await done(test, "add_project_note", note)).structured.note;
    const found = await done(test, "search_project_notes", { project: "TK", query: "deploy" }, "bob");
    expect(found.text).toContain("## Deploying");
    expect(found.text).toContain("Press the button.");
    await done(
      test,
      "update_project_note",
      { project: "TK", note: id, body: "Pull the lever.", revision },
      "bob",
    );
    const late = await test.call(
      "update_project_note",
      { project: "TK", note: id, body: "x", revision },
      "ada",
    );
    expect(late).toMatchObject({ outcome: "failed", text: expect.stringContaining("read it again") });
    await done(test, "delete_project_note", { project: "TK", note: id });
    expect((await done(test, "search_project_notes", { project: "TK" })).text).toContain("has no notes");
  });

  it("tell a model what is wrong and what to do, and are no bug of ours", async () => {
    await using test = await setUp();
    await done(test, "create_project", { name: "Tool keeper" });
    await done(test, "create_ticket", { project: "TK", title: "One" });
    const wrong: [string, object, string][] = [
      ["get_project", { project: "TL" }, "did you mean TK?"],
      ["get_ticket", { ticket: "TK-7" }, "its newest is TK-1"],
      ["create_project", { name: "x", key: "TK" }, "already exists"],
      ["create_project", { name: "x", key: "1-1" }, "2 to 10 letters"],
      ["create_ticket", { project: "TK", title: " " }, "blank"],
      ["create_ticket", { project: "TK", title: "x", assignee: "zed" }, "zed"],
      ["update_ticket", { ticket: "TK-1" }, "Nothing to change"],
      ["update_ticket", { ticket: "TK-1", title: "x", revision: 9 }, "changed by somebody else"],
      ["delete_project", { project: "TK" }, "Archive it first"],
      ["delete_project_note", { project: "TK", note: "note_none" }, "search its notes"],
    ];
    for (const [name, args, said] of wrong)
      expect(await test.call(name, args, "ada"), name).toMatchObject({
        outcome: "failed",
        text: expect.stringContaining(said),
      });
    await done(test, "update_project", { project: "TK", status: "archived" });
    expect(await test.call("comment_ticket", { ticket: "TK-1", text: "x" }, "ada")).toMatchObject({
      outcome: "failed",
      text: expect.stringContaining("Set its status to active first"),
    });
    expect((await done(test, "delete_project", { project: "TK" })).text).toContain(
      "with 1 tickets and 0 notes",
    );
  });

  it("refuse what is longer, more or other than they take", async () => {
    await using test = await setUp();
    await done(test, "create_project", { name: "Tool keeper" });
    for (const [name, args] of [
      ["create_ticket", { project: "TK", title: "x".repeat(301) }],
      ["create_ticket", { project: "TK", title: "x", status: "gone" }],
      ["create_ticket", { project: "TK", title: "x", labels: Array(21).fill("a") }],
      ["comment_ticket", { ticket: "TK-1", text: "x".repeat(10_001) }],
      ["list_tickets", { limit: 201 }],
      ["add_project_note", { project: "TK", title: "x", body: "x".repeat(10_001) }],
    ] as const)
      expect((await test.call(name, args, "ada")).outcome, name).toBe("invalid_arguments");
  });

  it("list long lists page by page", async () => {
    await using test = await setUp();
    await done(test, "create_project", { name: "Tool keeper" });
    for (let at = 1; at <= 5; at++) await done(test, "create_ticket", { project: "TK", title: `t${at}` });
    const page = await done(test, "list_tickets", { limit: 2, offset: 2 });
    expect(page.text).toContain("(3 to 4 of 5; read on with offset 4)");
    expect(page.structured).toMatchObject({
      total: 5,
      next_offset: 4,
      tickets: [{ ref: "TK-3" }, { ref: "TK-2" }],
    });
    expect((await done(test, "list_tickets", { offset: 9 })).text).toBe(
      "There are 5 in all; none after the first 9.",
    );
    for (let at = 0; at < 3; at++) await done(test, "comment_ticket", { ticket: "TK-1", text: `c${at}` });
    const last = await done(test, "get_ticket", { ticket: "TK-1", limit: 2 });
    expect(last.text).toContain("(1 earlier comments; read them with offset 0)");
    expect(last.structured.comments.map(({ text }: { text: string }) => text)).toEqual(["c1", "c2"]);
  });

  it("come with the toolbox code; a scout may only look", async () => {
    await using test = await setUp();
    await test.hub.identity.createAgent("looker", { parent: "ada", scout: true, toolboxes: ["code"] });
    await done(test, "create_project", { name: "Tool keeper" });
    expect((await test.call("list_projects", {}, "bare")).outcome).toBe("not_granted");
    await done(test, "get_project", { project: "TK" }, "looker");
    expect((await test.call("create_ticket", { project: "TK", title: "x" }, "looker")).outcome).not.toBe(
      "ok",
    );
    expect((await projectsOf(test.hub).tickets.list({ limit: 1, offset: 0 })).total).toBe(0);
  });

  it("are what a person did where the operator calls", async () => {
    await using test = await setUp();
    await test.call("create_project", { name: "Tool keeper" });
    expect(await projectsOf(test.hub).get("TK")).toMatchObject({ createdBy: null });
    expect((await done(test, "get_project", { project: "TK" })).text).toContain("by a person");
  });

  it("say of themselves what only reads and what destroys", async () => {
    await using test = await setUp();
    const { tools = [] } = test.hub.features.find(({ name }) => name === "projects")!;
    const named = (flag: "readOnly" | "destructive") =>
      tools.flatMap(({ name, flags }) => (flags[flag] ? [name] : [])).sort();
    expect(named("readOnly")).toEqual([
      "get_project",
      "get_ticket",
      "list_projects",
      "list_tickets",
      "search_project_notes",
    ]);
    expect(named("destructive")).toEqual(["delete_project", "delete_project_note", "delete_ticket"]);
  });
});
