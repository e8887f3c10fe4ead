import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifySchema } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { covers, ROLES, type Role } from "../../../src/contract/caller.ts";
import { renderRoleTable } from "../../../src/surfaces/api/role-table.ts";
import { roleFor } from "../../../src/surfaces/api/route-role.ts";
import { type Browser, browser } from "../../support/browser.ts";
import { callTables } from "../../support/call-tables.ts";
import { inDeep } from "../../support/length.ts";
import { ADMIN_TOKEN, type TestApi, testApi } from "../../support/test-api.ts";

/** What an operator may do beside reading; whatever else changes something is an admin's. */
const OPERATORS = [
  "POST /api/agents/:name/messages/read",
  "POST /api/approvals/:id/approve",
  "POST /api/approvals/:id/reject",
  "POST /api/call",
  "POST /api/call/stream",
  "POST /api/inbox",
  "POST /api/memories",
  "PATCH /api/memories/:id",
  "DELETE /api/labels",
  "POST /api/memories/:id/retract",
  "POST /api/notifications/:id/dismiss",
  "POST /api/projects/:name/notes",
  "PATCH /api/projects/:name/notes/:id",
  "POST /api/questions/:id/answer",
  "POST /api/questions/:id/dismiss",
  "POST /api/servers/:name/test",
  "POST /api/sync",
  "POST /api/tasks",
  "POST /api/tasks/:id/cancel",
  "POST /api/tickets",
  "PATCH /api/tickets/:name",
  "POST /api/tickets/:name/comments",
];
/** What a viewer may do that is no reading. */
const VIEWERS = [
  "DELETE /api/session",
  "POST /api/access/preview",
  "POST /api/rules/check",
  "POST /api/rules/explain",
  "POST /api/rules/simulate",
];
/** What a viewer may not read. */
const ADMINS_READ = ["GET /api/imports", "GET /api/people/:name/sessions"];

interface Route {
  readonly method: string;
  readonly url: string;
  readonly schema: FastifySchema;
}

let api: TestApi;
const routes: Route[] = [];
const browsers = new Map<Role, Browser>();
const tokens = new Map<Role, string>();

beforeAll(async () => {
  api = await testApi({
    routes: (app) =>
      app.addHook("onRoute", ({ method, url, schema = {} }) => {
        for (const each of [method].flat())
          if (url.startsWith("/api/") || url === "/metrics") routes.push({ method: each, url, schema });
      }),
  });
  for (const role of ROLES) {
    await api.hub.people.add(`a-${role}`, role);
    browsers.set(role, await browser(api.app, ADMIN_TOKEN, `a-${role}`));
    tokens.set(role, (await api.hub.identity.createToken({ role, label: role })).token);
  }
});
afterAll(() => api[Symbol.asyncDispose]());

const named = ({ method, url }: Route) => `${method} ${url}`;
/** An address of the route that names nothing there is. */
const addressOf = ({ url }: Route) => url.replaceAll(/:(\w+)/g, "nothing-such");

describe("roles", () => {
  it("are as the lists above say", () => {
    const wanting = (role: Role, isWanted: (method: string) => boolean) =>
      routes
        .filter((route) => isWanted(route.method) && roleFor(route.method, route.schema) === role)
        .map(named)
        .sort();
    const isRead = (method: string) => method === "GET";
    const isChange = (method: string) => method !== "GET" && method !== "HEAD";
    expect(wanting("operator", isChange)).toEqual([...OPERATORS].sort());
    expect(wanting("viewer", isChange)).toEqual(VIEWERS);
    expect(wanting("admin", isRead)).toEqual(ADMINS_READ);
    expect(wanting("operator", isRead)).toEqual([]);
    expect(wanting("admin", isChange).length).toBeGreaterThan(40);
  });

  it("that nobody declared are admin for what changes something, and viewer for reading", () => {
    for (const method of ["POST", "PATCH", "PUT", "DELETE", "OPTIONS", "PROPFIND"])
      expect(roleFor(method, {})).toBe("admin");
    for (const method of ["GET", "HEAD"]) expect(roleFor(method, undefined)).toBe("viewer");
  });

  it("are enforced at every route, for people and for tokens", async () => {
    let refused = 0;
    for (const route of routes) {
      const wanted = roleFor(route.method, route.schema);
      for (const role of ROLES) {
        if (covers(role, wanted)) continue;
        const method = route.method as "GET";
        const url = addressOf(route);
        const authorization = `Bearer ${tokens.get(role)}`;
        for (const response of [
          await browsers.get(role)!.send({ method, url }),
          await api.app.inject({ method, url, headers: { authorization } }),
        ]) {
          expect([named(route), role, response.statusCode]).toEqual([named(route), role, 403]);
          if (method !== ("HEAD" as string))
            expect(response.json().error).toMatchObject({
              code: "FORBIDDEN",
              message: expect.stringContaining(`wants the role ${wanted}`),
            });
          refused += 1;
        }
      }
    }
    expect(refused).toBeGreaterThan(200);
  });

  it("open what they cover: none of it is refused for the role", async () => {
    for (const route of routes) {
      if (route.method === "HEAD" || route.url === "/api/events" || named(route) === VIEWERS[0]) continue;
      const role = roleFor(route.method, route.schema);
      const response = await api.app.inject({
        method: route.method as "GET",
        url: addressOf(route),
        headers: { authorization: `Bearer ${tokens.get(role)}`, "content-type": "application/json" },
        // Fits hardly any schema: nothing is to happen.
        ...(route.method === "GET" ? {} : { payload: '{"nothing such":1}' }),
      });
      expect([named(route), response.statusCode === 403]).toEqual([named(route), false]);
    }
  });

  it("are in the OpenAPI document", async () => {
    const { paths } = (await api.request("GET", "/api/openapi.json")).body;
    for (const route of routes) {
      if (route.method === "HEAD") continue;
      const operation = paths[route.url.replaceAll(/:(\w+)/g, "{$1}")][route.method.toLowerCase()];
      expect([named(route), operation["x-role"]]).toEqual([
        named(route),
        roleFor(route.method, route.schema),
      ]);
    }
    expect(paths["/health"].get["x-role"]).toBeUndefined();
  });
});

it("docs/api.md says which routes want another role than reading and changing do", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/api.md"), "utf8");
  const table = /<!-- generated: roles -->\n([\s\S]*?)\n<!-- end -->/.exec(page)?.[1];
  expect(table).toBe(renderRoleTable(routes.filter(({ method }) => method !== "HEAD")));
});

describe("calls of tools", () => {
  const call = (name: string, more = {}) => ({
    method: "POST" as const,
    url: "/api/call",
    payload: { name, ...more },
  });

  it("are not for viewers", async () => {
    expect((await browsers.get("viewer")!.send(call("think"))).statusCode).toBe(403);
    await written();
    expect(await callTables(api.hub.store).calls.list({ limit: 10 })).toEqual([]);
  });

  it("are recorded with the person, or the token, that made them", async () => {
    await api.hub.identity.createAgent("main");
    await browsers.get("operator")!.send(call("list_directory"));
    await browsers.get("operator")!.send(call("list_directory", { agent: "main" }));
    await api.request("POST", "/api/call", { name: "list_directory" });
    const authorization = `Bearer ${tokens.get("operator")}`;
    await api.app.inject({ ...call("list_directory"), headers: { authorization } });
    await written();
    const { calls } = (await api.request("GET", "/api/calls")).body;
    const by = calls.map((each: { agent: string; person: string | null; tokenId: string | null }) => [
      each.agent,
      each.person,
      each.tokenId?.slice(0, 4) ?? null,
    ]);
    expect(by.sort()).toEqual([
      ["main", "a-operator", null],
      ["operator", null, "tok_"],
      ["operator", "a-operator", null],
      ["operator", "owner", null],
    ]);
  });

  it("of an operator reach no tool that administers, as themselves or as an agent", async () => {
    await api.hub.identity.updateAgent("main", { grants: ["create_toolbox"] });
    for (const agent of [undefined, "main"]) {
      const asked = call("create_toolbox", {
        arguments: { name: "mine", tools: [] },
        ...(agent && { agent }),
      });
      const refused = await browsers.get("operator")!.send(asked);
      expect(refused.json().outcome).toBe("not_granted");
    }
    const allowed = await browsers
      .get("admin")!
      .send(call("create_toolbox", { arguments: { name: "mine", tools: ["think"] } }));
    expect(allowed.json().outcome).toBe("ok");
  });
});

inDeep("reading changes nothing, at any route", async () => {
  await written();
  const before = await quietDump();
  const revision = await api.hub.store.revision();
  for (const route of routes) {
    if (route.method !== "GET" || route.url === "/api/events") continue;
    for (const name of ["main", "mine", "a-viewer", "read_file", "nothing-such"]) {
      const url = route.url.replaceAll(/:(\w+)/g, name);
      await api.request("GET", url).catch(() => undefined);
    }
  }
  await written();
  expect(await quietDump()).toEqual(before);
  expect(await api.hub.store.revision()).toBe(revision);
});

/** Resolves when the audit has everything. */
async function written(): Promise<void> {
  await expect.poll(() => api.hub.audit.load.waiting).toBe(0);
}

/** Without the times at which somebody was seen last, and at which a health check last wrote something. */
async function quietDump() {
  const { tables } = await api.hub.store.dump();
  const { tokens: _tokens, people: _people, claims, ...rest } = tables;
  return { ...rest, claims: claims?.filter(({ id }) => id !== "write check") };
}
