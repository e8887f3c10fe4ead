import { describe, expect, it } from "vitest";
import { type TestApi, testApi } from "../../../../support/test-api.ts";

const created = (api: TestApi) => api.request("POST", "/api/projects", { name: "Tool keeper" });

describe("/api/projects", () => {
  it("are created, listed, changed, archived and deleted by people", async () => {
    await using api = await testApi();
    expect((await created(api)).body.project).toMatchObject({ key: "TK", createdBy: null, revision: 1 });
    const changed = await api.request("PATCH", "/api/projects/tk", { description: "d", revision: 1 });
    expect(changed.body.project).toMatchObject({ description: "d", revision: 2 });
    const late = await api.request("PATCH", "/api/projects/tk", { description: "e", revision: 1 });
    expect([late.status, late.body.error.code]).toEqual([409, "CHANGED"]);
    await api.request("POST", "/api/tickets", { project: "TK", title: "One" });
    expect((await api.request("DELETE", "/api/projects/TK")).body.error).toMatchObject({ code: "IN_USE" });
    await api.request("PATCH", "/api/projects/TK", { status: "archived" });
    expect((await api.request("GET", "/api/projects?status=active")).body).toEqual({
      projects: [],
      total: 0,
    });
    expect((await api.request("GET", "/api/projects?limit=1")).body).toMatchObject({ total: 1 });
    expect((await api.request("DELETE", "/api/projects/TK")).body).toEqual({ done: true });
    expect((await api.request("GET", "/api/projects/TK")).status).toBe(404);
    await created(api);
    await api.request("POST", "/api/tickets", { project: "TK", title: "One" });
    expect((await api.request("DELETE", "/api/projects/TK?force=true")).status).toBe(200);
  });

  it("refuse what does not fit", async () => {
    await using api = await testApi();
    for (const body of [
      {},
      { name: "" },
      { name: "x".repeat(201) },
      { name: "x", more: 1 },
      { name: "x", key: "1" },
    ])
      expect((await api.request("POST", "/api/projects", body)).status).toBe(400);
    expect((await api.request("GET", "/api/projects?limit=501")).status).toBe(400);
    expect((await api.request("GET", "/api/projects?status=lost")).status).toBe(400);
  });

  it("have notes", async () => {
    await using api = await testApi();
    await created(api);
    const notes = "/api/projects/TK/notes";
    const made = await api.request("POST", notes, { title: "Deploying", body: "Press it.", tags: ["Ops"] });
    const { id } = made.body.note;
    expect(made.body.note).toMatchObject({ project: "TK", tags: ["ops"], createdBy: null });
    expect((await api.request("GET", `${notes}?text=deploy&tag=ops`)).body).toMatchObject({
      notes: [{ id }],
      total: 1,
    });
    expect((await api.request("GET", `${notes}?text=zebra`)).body).toEqual({ notes: [], total: 0 });
    const changed = await api.request("PATCH", `${notes}/${id}`, { body: "Pull it.", revision: 1 });
    expect(changed.body.note).toMatchObject({ body: "Pull it.", revision: 2 });
    expect((await api.request("DELETE", `${notes}/${id}`)).body).toEqual({ done: true });
    expect((await api.request("DELETE", `${notes}/${id}`)).status).toBe(404);
  });
});

describe("/api/tickets", () => {
  it("are created, found, changed, commented on and deleted by people", async () => {
    await using api = await testApi({ agents: { ada: [] } });
    await created(api);
    const input = { project: "tk", title: "Fix the door", assignee: "ada", labels: ["ui"], priority: "high" };
    expect((await api.request("POST", "/api/tickets", input)).body.ticket).toMatchObject({
      ...{ ref: "TK-1", assignee: "ada", priority: "high", status: "open", createdBy: null },
    });
    await api.request("POST", "/api/tickets", { project: "TK", title: "Paint it", status: "done" });
    const refs = async (query: string) =>
      (await api.request("GET", `/api/tickets${query}`)).body.tickets.map(({ ref }: { ref: string }) => ref);
    expect(await refs("")).toEqual(["TK-2", "TK-1"]);
    expect(await refs("?status=unfinished")).toEqual(["TK-1"]);
    expect(await refs("?assignee=nobody")).toEqual(["TK-2"]);
    expect(await refs("?assignee=ada&project=TK&label=ui&priority=high&text=door")).toEqual(["TK-1"]);
    expect(await refs("?limit=1&offset=1")).toEqual(["TK-1"]);
    const changed = await api.request("PATCH", "/api/tickets/TK-1", { assignee: null, status: "review" });
    expect(changed.body.ticket).toMatchObject({ assignee: null, status: "review", title: "Fix the door" });
    expect((await api.request("PATCH", "/api/tickets/TK-1", { title: "x", revision: 1 })).status).toBe(409);

    const said = await api.request("POST", "/api/tickets/TK-1/comments", { text: "Looks right." });
    expect([said.status, said.body.comment.createdBy]).toEqual([201, null]);
    expect((await api.request("GET", "/api/tickets/TK-1")).body.ticket.comments).toBe(1);
    expect((await api.request("GET", "/api/tickets/TK-1/comments")).body).toEqual({
      comments: [said.body.comment],
      total: 1,
    });
    await api.request("DELETE", `/api/tickets/TK-1/comments/${said.body.comment.id}`);
    expect((await api.request("GET", "/api/tickets/TK-1/comments")).body.total).toBe(0);
    expect((await api.request("DELETE", "/api/tickets/TK-1")).body).toEqual({ done: true });
    expect((await api.request("GET", "/api/tickets/TK-1")).body.error.message).toContain(
      "its newest is TK-2",
    );
  });

  it("say what is wrong", async () => {
    await using api = await testApi();
    await created(api);
    const unknown = await api.request("POST", "/api/tickets", { project: "TK", title: "x", assignee: "zed" });
    expect([unknown.status, unknown.body.error.message]).toEqual([404, expect.stringContaining("zed")]);
    expect((await api.request("POST", "/api/tickets", { project: "NO", title: "x" })).status).toBe(404);
    expect(
      (await api.request("POST", "/api/tickets", { project: "TK", title: "x", status: "lost" })).body.error,
    ).toMatchObject({ code: "BAD_REQUEST", message: expect.stringContaining("in_progress") });
  });
});
