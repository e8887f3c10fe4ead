import { afterAll, beforeAll, expect, it } from "vitest";
import { browser, enter, ORIGIN } from "../../../support/browser.ts";
import { callTables } from "../../../support/call-tables.ts";
import { ADMIN_TOKEN, type TestApi, testApi } from "../../../support/test-api.ts";

let api: TestApi;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api[Symbol.asyncDispose]());

/** The newest records of a kind; what a request is answered with is recorded by then. */
const recorded = async (kind: string, limit = 1) =>
  (await callTables(api.hub.store).audit.list({ limit, kind })).map((entry) => ({
    ...entry,
    details: JSON.parse(entry.details),
  }));

it("a change is recorded before it is answered: who, what, with which keys, and how it ended", async () => {
  await api.request("POST", "/api/servers", {
    name: "s",
    command: "false",
    enabled: false,
    env: { KEY: "canary-of-env" },
  });
  expect(await recorded("admin")).toMatchObject([
    {
      kind: "admin",
      actor: "owner",
      subject: "servers",
      details: {
        by: "person",
        role: "admin",
        route: "POST /api/servers",
        status: 201,
        keys: ["name", "command", "enabled", "env"],
      },
    },
  ]);
  await api.request("PATCH", "/api/servers/s?x=canary-of-query", { env: { KEY: "canary" } });
  await api.request("DELETE", "/api/agents/no%20such");
  expect(await recorded("admin", 2)).toMatchObject([
    { subject: "agents/no such", details: { route: "DELETE /api/agents/:name", status: 404 } },
    { subject: "servers/s", details: { route: "PATCH /api/servers/:name" } },
  ]);
  expect(JSON.stringify(await recorded("admin*", 100))).not.toContain("canary");
});

it("of a token its id and label are recorded, of a refusal its status, and of reading nothing", async () => {
  const { token, record } = await api.hub.identity.createToken({ role: "viewer", label: "watcher" });
  const headers = { authorization: `Bearer ${token}` };
  const before = await recorded("admin*", 100);
  await api.app.inject({ url: "/api/agents", headers });
  await api.app.inject({ method: "POST", url: "/api/agents" });
  expect(await recorded("admin*", 100)).toHaveLength(before.length);
  for (const url of ["/api/agents", "/api/call"])
    await api.app.inject({ method: "POST", url, headers, payload: { name: "main" } });
  expect(await recorded("admin", 2)).toMatchObject(
    ["call", "agents"].map((subject) => ({
      actor: record.id,
      subject,
      details: { by: "token", label: "watcher", role: "viewer", status: 403 },
    })),
  );
});

it("a call of a person is recorded as a call, and not a second time", async () => {
  await api.request("POST", "/api/call", { name: "list_directory" });
  expect(await recorded("admin")).not.toMatchObject([{ subject: "call", details: { status: 200 } }]);
  await api.hub.audit.flush();
  expect(await callTables(api.hub.store).calls.list({ limit: 1 })).toMatchObject([{ person: "owner" }]);
});

it("signing in and out, and links that are not good, are recorded without their secrets", async () => {
  const page = await browser(api.app, ADMIN_TOKEN);
  const [login] = await recorded("admin.login");
  expect(login).toMatchObject({ actor: "owner", subject: expect.stringMatching(/^ses_/) });
  expect(login!.details).toMatchObject({ browser: "a test", address: "127.0.0.1" });
  await enter(api.app, `${ORIGIN}/login?code=canary-of-code`);
  expect(await recorded("admin.login_failed")).toMatchObject([{ actor: null }]);
  await page.send({
    method: "POST",
    url: "/logout",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: new URLSearchParams({ csrf: page.csrf }).toString(),
  });
  expect(await recorded("admin.logout")).toMatchObject([{ actor: "owner", subject: login!.subject }]);
  const all = JSON.stringify(await recorded("admin*", 100));
  for (const secret of ["canary", page.csrf, page.cookie.split("=")[1]!]) expect(all).not.toContain(secret);
});
