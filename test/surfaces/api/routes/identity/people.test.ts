import { describe, expect, it } from "vitest";
import { tempHome } from "../../../../support/temp-home.ts";
import { type TestApi, testApi } from "../../../../support/test-api.ts";
import { trustStores } from "../../../../support/trust-stores.ts";
import { waitUntil } from "../../../../support/wait-until.ts";

describe("/api/questions", () => {
  it("an answer lets the call that asked go on", async () => {
    await using api = await testApi({ agents: { main: [] } });
    const call = api.request("POST", "/api/call", {
      name: "prompt_human",
      arguments: { question: "tea or coffee?" },
      agent: "main",
    });
    let id = "";
    await waitUntil("the question is asked", async () => {
      const { questions } = (await api.request("GET", "/api/questions?state=pending")).body;
      id = questions[0]?.id ?? "";
      return id !== "";
    });
    const answered = await api.request("POST", `/api/questions/${id}/answer`, { answer: "tea" });
    expect(answered.body.question).toMatchObject({ id, agent: "main" });
    expect((await call).body).toMatchObject({ outcome: "ok", text: expect.stringContaining("tea") });
    expect((await api.request("POST", `/api/questions/${id}/answer`, { answer: "milk" })).status).toBe(400);
  });

  it("a dismissed one no longer waits", async () => {
    await using api = await testApi({ settings: { questions: { wait_ms: 0 } } });
    await api.request("POST", "/api/call", { name: "prompt_human", arguments: { question: "anyone?" } });
    const { questions } = (await api.request("GET", "/api/questions?state=pending")).body;
    await api.request("POST", `/api/questions/${questions[0].id}/dismiss`);
    expect((await api.request("GET", "/api/questions?state=pending")).body.questions).toEqual([]);
    expect((await api.request("POST", "/api/questions/qst_none/dismiss")).status).toBe(404);
  });
});

describe("/api/questions", () => {
  it("lists what was settled, page by page, and nothing that waits", async () => {
    await using api = await testApi({
      agents: { main: [] },
      rules: [{ permission: "think", action: "ask" }],
    });
    for (const thought of ["a", "b", "c"]) await api.call("think", { thought }, "main");
    const waiting = (await api.request("GET", "/api/questions?state=pending")).body.questions;
    for (const { id } of waiting.slice(0, 2)) await api.request("POST", `/api/approvals/${id}/reject`, {});
    const first = (await api.request("GET", "/api/questions?state=settled&limit=1")).body;
    const rest = (await api.request("GET", `/api/questions?state=settled&limit=5&cursor=${first.next}`)).body;
    const ids = [...rest.questions, ...first.questions].map(({ id }: { id: string }) => id).sort();
    expect(ids).toEqual([waiting[0].id, waiting[1].id].sort());
    expect(rest.next).toBe(null);
  });
});

describe("/api/notifications", () => {
  it("stay until they are dismissed", async () => {
    await using api = await testApi({ agents: { main: [] } });
    const notify = { name: "notify", arguments: { title: "done", body: "all of it" }, agent: "main" };
    expect((await api.request("POST", "/api/call", notify)).body.outcome).toBe("ok");
    const [raised] = (await api.request("GET", "/api/notifications")).body.notifications;
    expect(raised).toMatchObject({ agent: "main", title: "done" });
    await api.request("POST", `/api/notifications/${raised.id}/dismiss`);
    expect((await api.request("GET", "/api/notifications")).body.notifications).toEqual([]);
    expect((await api.request("GET", "/api/notifications?dismissed=true")).body.notifications).toHaveLength(
      1,
    );
  });

  describe("of a server that waits for approval", () => {
    const WAITING = { command: "toolkeep-test-never-run" };
    const open = async (api: TestApi) =>
      (await api.request("GET", "/api/notifications")).body.notifications as {
        id: string;
        title: string;
        undecided: boolean;
      }[];
    const dismiss = (api: TestApi, id: string) => api.request("POST", `/api/notifications/${id}/dismiss`);

    it.each(["approve", "remove"] as const)(
      "stay, also over a restart, until somebody decides: %s",
      async (how) => {
        await using home = await tempHome();
        const before = await testApi({ home: home.path });
        await before.hub.upstream.add("new", WAITING, { addedBy: "main" });
        const [raised] = await open(before);
        expect(raised).toMatchObject({ title: "MCP server new waits for approval", undecided: true });
        const refused = await dismiss(before, raised!.id);
        expect([refused.status, refused.body.error]).toEqual([
          409,
          expect.objectContaining({ code: "IN_USE", remedy: expect.stringContaining("server approve new") }),
        ]);
        // Another one beside it is dismissed as ever.
        await before.call("notify", { title: "done", body: "" });
        const other = (await open(before)).find(({ undecided }) => !undecided);
        expect((await dismiss(before, other!.id)).status).toBe(200);
        await before[Symbol.asyncDispose]();

        await using after = await testApi({ home: home.path });
        expect((await open(after)).map(({ id }) => id)).toEqual([raised!.id]);
        expect((await dismiss(after, raised!.id)).status).toBe(409);
        await trustStores(after.hub.store).notifications.prune(Date.now() + 1_000_000_000, 1_000);
        expect(await open(after)).toHaveLength(1);
        // However many came since.
        for (let at = 0; at < 501; at++)
          await trustStores(after.hub.store).notifications.create({
            id: `ntf_later_${at}`,
            agentId: null,
            level: "info",
            title: "later",
            body: "",
            createdAt: Date.now() + 1_000 + at,
            dismissedAt: null,
          });
        await after.hub.upstream[how]("new");
        const there = await trustStores(after.hub.store).notifications.list({ idPrefix: "ntf_approve_" });
        expect(there).toEqual([]);
      },
    );

    it("are raised again where the process ended before it asked, or an older one let them be dismissed", async () => {
      await using home = await tempHome();
      const before = await testApi({ home: home.path });
      await before.hub.upstream.add("new", WAITING, { addedBy: "main" });
      const [raised] = await open(before);
      await trustStores(before.hub.store).notifications.dismiss(raised!.id, Date.now());
      await before[Symbol.asyncDispose]();
      await using after = await testApi({ home: home.path });
      expect(await open(after)).toMatchObject([{ title: raised!.title, undecided: true }]);
      await after.hub.upstream.approve("new");
      expect(await open(after)).toEqual([]);
    });
  });

  it("are found however many were dismissed since, page by page", async () => {
    await using api = await testApi({ agents: { main: [] } });
    const { notifications } = trustStores(api.hub.store);
    const raise = (id: string, dismissedAt: number | null) =>
      notifications.create({
        ...{ id, agentId: null, level: "info", title: id, body: "" },
        ...{ createdAt: 1_000, dismissedAt },
      });
    await raise("a-open", null);
    for (let at = 0; at < 3; at++) await raise(`b${at}`, 2_000);
    const page = async (query: string) => {
      const { body } = await api.request("GET", `/api/notifications?${query}`);
      return { ids: body.notifications.map(({ id }: { id: string }) => id), next: body.next };
    };
    expect(await page("state=open&limit=1")).toMatchObject({ ids: ["a-open"] });
    const first = await page("state=dismissed&limit=2");
    expect(first.ids).toEqual(["b1", "b2"]);
    expect(await page(`state=dismissed&limit=2&cursor=${first.next}`)).toEqual({ ids: ["b0"], next: null });
    expect((await api.request("GET", "/api/notifications?cursor=nonsense")).status).toBe(400);
  });
});

describe("/api/tasks", () => {
  it("are for sub-agents", async () => {
    await using api = await testApi({ agents: { main: [] } });
    await api.request("POST", "/api/agents", { name: "scout1", parent: "main" });
    const created = await api.request("POST", "/api/tasks", { agent: "scout1", title: "look around" });
    expect(created.body.task).toMatchObject({ agent: "scout1", status: "open" });
    expect((await api.request("GET", "/api/tasks?agent=scout1")).body.tasks).toHaveLength(1);
    const refused = await api.request("POST", "/api/tasks", { agent: "main", title: "x" });
    expect(refused.body.error).toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining("sub-agents"),
    });
  });

  it("have instructions, say who gave them, and can be cancelled until they are over", async () => {
    await using api = await testApi({ agents: { main: [] } });
    await api.request("POST", "/api/agents", { name: "scout1", parent: "main" });
    const input = { agent: "scout1", title: "look around", instructions: "everywhere" };
    const { id } = (await api.request("POST", "/api/tasks", input)).body.task;
    expect((await api.request("GET", `/api/tasks/${id}`)).body.task).toMatchObject({
      instructions: "everywhere",
      assignedBy: null,
    });
    const cancelled = await api.request("POST", `/api/tasks/${id}/cancel`, { reason: "found it" });
    expect(cancelled.body.task).toMatchObject({ status: "cancelled", note: "found it" });
    expect((await api.request("POST", `/api/tasks/${id}/cancel`, {})).status).toBe(400);
    expect((await api.request("GET", "/api/tasks/tsk_none")).status).toBe(404);
  });
});

describe("/api/trust", () => {
  it("keeps one content per file and reads the settings again", async () => {
    let reloads = 0;
    const reloadSettings = async () => {
      reloads += 1;
    };
    await using api = await testApi({ options: { reloadSettings } });
    const file = "/srv/app/toolkeep.json";
    for (const digit of ["a", "b"])
      await api.request("POST", "/api/trust", { path: file, sha256: digit.repeat(64) });
    expect((await api.request("GET", "/api/trust")).body.trusted).toMatchObject([
      { path: file, sha256: "b".repeat(64) },
    ]);
    await api.request("DELETE", `/api/trust?path=${encodeURIComponent(file)}`);
    expect((await api.request("GET", "/api/trust")).body.trusted).toEqual([]);
    expect(reloads).toBe(3);
    expect((await api.request("POST", "/api/trust", { path: file, sha256: "short" })).status).toBe(400);
  });
});
