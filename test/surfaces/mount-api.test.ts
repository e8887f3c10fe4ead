import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ToolkeepError } from "../../src/contract/errors.ts";
import type { Log } from "../../src/lib/log.ts";
import { silentLog } from "../../src/lib/log.ts";
import { DASHBOARD_PAGES } from "../../src/surfaces/api/pages/dashboard-paths.ts";
import { ADMIN_TOKEN, testApi } from "../support/test-api.ts";

describe("access to the API", () => {
  it("without a token is 401 and says how to authenticate", async () => {
    await using api = await testApi();
    const response = await api.app.inject({ url: "/api/agents" });
    expect(response.statusCode).toBe(401);
    expect(response.headers["www-authenticate"]).toBe('Bearer realm="toolkeep"');
    expect(response.json().error).toMatchObject({
      code: "UNAUTHORIZED",
      remedy: expect.stringContaining("Bearer"),
    });
  });

  it.each(["Bearer tk_sk_wrong", "Basic YTpi", "Bearer", "bearer  "])(
    "with %j is 401",
    async (authorization) => {
      await using api = await testApi();
      const response = await api.app.inject({ url: "/api/agents", headers: { authorization } });
      expect(response.statusCode).toBe(401);
      expect(response.headers["www-authenticate"]).toContain("Bearer");
    },
  );

  it("with an agent's token is 403", async () => {
    await using api = await testApi({ agents: { main: [] } });
    const { token } = await api.hub.identity.createToken({ agent: "main" });
    const response = await api.app.inject({
      url: "/api/agents",
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.statusCode).toBe(403);
    expect(response.json().error.code).toBe("FORBIDDEN");
  });

  it("with an admin token of the store or the token of the process is granted", async () => {
    await using api = await testApi();
    const { token } = await api.hub.identity.createToken({});
    for (const each of [token, ADMIN_TOKEN]) {
      const response = await api.app.inject({
        url: "/api/agents",
        headers: { authorization: `Bearer ${each}` },
      });
      expect(response.statusCode).toBe(200);
    }
  });

  it("to a route that does not exist is 401 without and 404 with a token", async () => {
    await using api = await testApi();
    expect((await api.app.inject({ url: "/api/nothing" })).statusCode).toBe(401);
    const { status, body } = await api.request("GET", "/api/nothing?secret=1");
    expect(status).toBe(404);
    expect(body.error).toMatchObject({ code: "NOT_FOUND", message: "there is no GET /api/nothing" });
    expect(body.error.remedy).toContain("docs/api.md");
  });
});

describe("a failure", () => {
  it.each([
    [{ name: "x", transport: "ftp" }, "transport: expected one of stdio, http, sse"],
    [{}, "body: name is missing"],
    [{ name: "x", tranport: "http" }, "body: unknown key tranport"],
    [{ name: "x", env: { KEY: 7 } }, "env.KEY: expected to be string"],
  ])("of the body %j says %j", async (body, message) => {
    await using api = await testApi();
    const refused = await api.request("POST", "/api/servers", body);
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining(message),
    });
  });

  it("of a body that does not fit names what is wrong", async () => {
    await using api = await testApi();
    const missing = await api.request("POST", "/api/agents", {});
    expect(missing.status).toBe(400);
    expect(missing.body.error).toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining("name is missing"),
    });

    const unknown = await api.request("POST", "/api/agents", { name: "a", tool_boxes: [] });
    expect(unknown.body.error.message).toContain("unknown key tool_boxes");

    const wrongType = await api.request("POST", "/api/agents", { name: "a", toolboxes: "research" });
    expect(wrongType.body.error.message).toContain("toolboxes: expected to be array");
  });

  it("of a body that is no JSON or too large keeps its status", async () => {
    await using api = await testApi({ settings: { max_message_bytes: 65_536 } });
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" };
    const garbled = await api.app.inject({ method: "POST", url: "/api/agents", headers, payload: "{" });
    expect([garbled.statusCode, garbled.json().error.code]).toEqual([400, "BAD_REQUEST"]);
    const large = await api.request("POST", "/api/agents", { name: "a", description: "x".repeat(70_000) });
    expect([large.status, large.body.error.code]).toEqual([413, "BAD_REQUEST"]);
  });

  it("inside Toolkeep is logged and told without its message", async () => {
    const logged: object[] = [];
    const log: Log = { ...silentLog, error: (fields) => void logged.push(fields) };
    const backup = () => Promise.reject(new Error("the password is hunter2"));
    await using api = await testApi({ options: { backup, log } });
    const { status, body } = await api.request("POST", "/api/backup");
    expect(status).toBe(500);
    expect(body.error.code).toBe("INTERNAL");
    expect(JSON.stringify(body)).not.toContain("hunter2");
    expect(logged).toHaveLength(1);
  });

  it("that is Toolkeep's own fault is in the log, also where its answer says all there is", async () => {
    const logged: object[] = [];
    const log: Log = { ...silentLog, warn: (fields) => void logged.push(fields) };
    const backup = () => Promise.reject(new ToolkeepError("STORE_NEWER", "the store is newer"));
    await using api = await testApi({ options: { backup, log } });
    expect(await api.request("POST", "/api/backup")).toMatchObject({ status: 500 });
    expect(logged).toMatchObject([{ err: { message: "the store is newer" } }]);
  });
});

describe("the routes", () => {
  it("are all in docs/api.md, and no other", async () => {
    const routes: string[] = [];
    await using _api = await testApi({
      routes: (app) =>
        app.addHook("onRoute", ({ method, url }) => {
          if (method !== "HEAD") routes.push(`${method} ${url}`);
        }),
    });
    const page = readFileSync(join(import.meta.dirname, "../../docs/api.md"), "utf8");
    const documented = [...page.matchAll(/^\| `([A-Z]+ \/[^`]*)` \|/gm)].map((match) => match[1]!);
    // All of these are the one page of `GET /`, which says so; docs/dashboard.md has what each shows.
    const pages = new Set(DASHBOARD_PAGES.flatMap((word) => [`GET /${word}`, `GET /${word}/*`]));
    const others = [...new Set(routes)].filter((route) => !pages.has(route));
    expect(others.sort()).toEqual(documented.sort());
  });
});
