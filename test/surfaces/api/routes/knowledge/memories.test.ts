import { describe, expect, it } from "vitest";
import { testApi } from "../../../../support/test-api.ts";

describe("/api/memories", () => {
  it("lists and searches what agents remember, of all or of one", async () => {
    await using api = await testApi({ agents: { ada: ["research"], bob: ["research"] } });
    await api.hub.identity.createAgent("helper", { parent: "ada", toolboxes: ["research"] });
    await api.call("memorize", { text: "The door is green.", tags: ["house"] }, "helper");
    await api.call("memorize", { text: "Tea at four." }, "bob");
    await api.call("memorize", { text: "People know doors, too." });
    const agents = async (query: string) =>
      (await api.request("GET", `/api/memories${query}`)).body.memories.map(
        ({ agent }: { agent: string }) => agent,
      );
    expect((await agents("")).sort()).toEqual(["ada", "bob", "operator"]);
    expect(await agents("?agent=ada")).toEqual(["ada"]);
    expect(await agents("?agent=helper")).toEqual(["ada"]);
    expect(await agents("?agent=operator")).toEqual(["operator"]);
    expect((await agents("?text=door")).sort()).toEqual(["ada", "operator"]);
    expect(await agents("?text=door&agent=bob")).toEqual([]);
    expect(await agents("?text=door&limit=1&offset=1")).toHaveLength(1);
    expect((await api.request("GET", "/api/memories?limit=2")).body).toMatchObject({ total: 3 });
    const [green] = (await api.request("GET", "/api/memories?text=green")).body.memories;
    expect(green).toMatchObject({
      text: "The door is green.",
      tags: ["house"],
      lastUsedAt: null,
      revision: 1,
    });
    expect((await api.request("GET", "/api/memories?agent=zed")).status).toBe(404);
    expect((await api.request("GET", "/api/memories?text=")).status).toBe(400);
  });

  it("forgets one, and the agent does not find it any more", async () => {
    await using api = await testApi({ agents: { ada: ["research"] } });
    await api.call("memorize", { text: "The door is green." }, "ada");
    expect((await api.call("recall", { query: "door" }, "ada")).text).toContain("green");
    const [{ id }] = (await api.request("GET", "/api/memories")).body.memories;
    expect((await api.request("DELETE", `/api/memories/${id}`)).body).toEqual({ done: true });
    expect((await api.call("recall", { query: "door" }, "ada")).text).toContain("Nothing is remembered");
    expect((await api.request("DELETE", `/api/memories/${id}`)).body.error).toMatchObject({
      code: "NOT_FOUND",
    });
  });
});
