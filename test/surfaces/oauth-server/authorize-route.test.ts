import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { SCOPES } from "../../../src/contract/caller.ts";
import { withoutOpenssl } from "../../machine/net/certificates.ts";
import { accessTables } from "../../support/access-tables.ts";
import { enter } from "../../support/browser.ts";
import { callTables } from "../../support/call-tables.ts";
import { type DocumentHost, documentHost } from "../../support/document-host.ts";
import {
  ADDRESS,
  codeFor,
  newRequest,
  type Person,
  person,
  REDIRECT,
  signedIn,
} from "../../support/oauth-person.ts";
import { type TestApi, testApi } from "../../support/test-api.ts";
import type { TestHubSetup } from "../../support/test-hub.ts";

const reason = await withoutOpenssl();
if (reason) console.log(`the consent page is not tested: ${reason}`);

describe.skipIf(reason)("the consent page", () => {
  let host: DocumentHost;
  let clientId: string;
  /** For tests that leave nothing behind. */
  let api: TestApi;
  let someone: Person;
  beforeAll(async () => {
    host = await documentHost();
    clientId = host.client("/id.json", [
      REDIRECT,
      "https://client.example/back?keep=1",
      "cursor://back/here",
    ]);
    api = await open();
    someone = await signedIn(api.app);
  });
  afterEach(async () => {
    for (const { id } of await accessTables(api.hub.store).consents.list())
      await accessTables(api.hub.store).consents.delete(id);
  });
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
    await host[Symbol.asyncDispose]();
  });

  const open = (setup: TestHubSetup = {}): Promise<TestApi> =>
    testApi({ agents: { main: [], "other-agent": [] }, ...setup, options: { documentFetch: host.fetch() } });

  it("shows who asks, who vouches for it, where it leads, what for, and as whom", async () => {
    const { status, text, form } = await someone.open(newRequest(clientId).url);
    expect(status).toBe(200);
    expect(text).toContain("A &lt;b&gt;client&lt;/b&gt;");
    expect(text).toContain(new URL(clientId).host);
    expect(text).toContain("127.0.0.1:4711");
    expect(text).toContain("any program there could pose as it");
    expect(text).toContain(`${ADDRESS}/mcp`);
    expect(form.getAll("allowed")).toEqual(["files", "mcp"]);
    for (const agent of ["main", "other-agent"]) expect(text).toContain(`name="agent" value="${agent}"`);
    expect(form.has("agent")).toBe(false);
  });

  it("has no script, takes nothing from elsewhere and stands in no frame", async () => {
    for (const page of [
      await someone.open(newRequest(clientId).url),
      await someone.open(newRequest(clientId, { response_type: "token" }).url),
      await person(api.app).open(newRequest(clientId).url),
    ]) {
      const policy = String(page.headers["content-security-policy"]);
      expect(policy).toContain("default-src 'none'; style-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(page.headers["x-frame-options"]).toBe("DENY");
      expect(page.headers["cache-control"]).toBe("no-store");
      expect(page.text).not.toMatch(/<script|style="|onload|<b>/);
    }
  });

  it("lets its form lead to where the client is, also past it", async () => {
    const policy = async (redirect_uri: string) =>
      String(
        (await someone.open(newRequest(clientId, { redirect_uri }).url)).headers["content-security-policy"],
      );
    expect(await policy(REDIRECT)).toContain("form-action 'self' https: http:;");
    expect(await policy("https://client.example/back?keep=1")).toContain("form-action 'self' https:;");
    expect(await policy("cursor://back/here")).toContain("form-action 'self' https: cursor:;");
  });

  it("without a session only says how to get one, asks nobody about the client, and goes on afterwards", async () => {
    const before = host.asked.length;
    const unseen = host.client("/unseen.json", [REDIRECT]);
    const { url } = newRequest(unseen, { state: `"><script>` });
    for (const cookie of ["", "toolkeep_session=made-up"]) {
      const page = await person(api.app, cookie).open(url);
      expect(page.status).toBe(401);
      expect(page.text).toContain("toolkeep open");
      expect(page.text).not.toContain("other-agent");
      expect(page.text).not.toContain("<script>");
      const next = /http-equiv="refresh" content="3;url=([^"]*)"/
        .exec(page.text)?.[1]
        ?.replaceAll("&amp;", "&");
      expect((await someone.open(`/oauth/${next}`)).text).toContain("A &lt;b&gt;client&lt;/b&gt;");
    }
    expect(host.asked.length - before).toBe(1);
  });

  it("sends a person who says yes back with a code, the state and who we are", async () => {
    const { form } = await someone.open(
      newRequest(clientId, { redirect_uri: "https://client.example/back?keep=1" }).url,
    );
    form.set("agent", "main");
    form.set("decision", "allow");
    const { status, location } = await someone.submit(form);
    expect(status).toBe(303);
    expect(location?.origin + location!.pathname).toBe("https://client.example/back");
    expect(Object.fromEntries(location!.searchParams)).toEqual({
      keep: "1",
      code: expect.stringMatching(/^tk_ac_[\w-]{43}$/),
      state: "the state",
      iss: ADDRESS,
    });
  });

  it("sends a person who says no back with that, and issues nothing", async () => {
    const { form } = await someone.open(newRequest(clientId).url);
    form.set("agent", "main");
    for (const decision of ["deny", ""]) {
      form.set("decision", decision);
      const { location } = await someone.submit(form);
      expect(Object.fromEntries(location!.searchParams)).toEqual({
        error: "access_denied",
        state: "the state",
        iss: ADDRESS,
      });
    }
    expect(await accessTables(api.hub.store).consents.list()).toEqual([]);
  });

  it("gives what the person left ticked, never more than was asked for", async () => {
    const { form } = await someone.open(newRequest(clientId).url);
    form.set("agent", "other-agent");
    form.set("decision", "allow");
    form.delete("allowed");
    expect((await someone.submit(form)).status).toBe(400);
    for (const scope of ["mcp", "shell", "admin", "nonsense"]) form.append("allowed", scope);
    expect((await someone.submit(form)).status).toBe(303);
    const [consent] = await accessTables(api.hub.store).consents.list();
    expect(consent).toMatchObject({ scopes: ["mcp"], agentId: api.hub.identity.agent("other-agent").id });
  });

  it("is in the audit: who let which client in, as which agent, for what", async () => {
    const { form } = await someone.open(newRequest(clientId).url);
    form.set("agent", "main");
    form.set("decision", "allow");
    await someone.submit(form);
    const [entry] = await callTables(api.hub.store).audit.list({ limit: 1, kind: "admin.consent" });
    expect(entry).toMatchObject({ kind: "admin.consent", actor: "owner", subject: "main" });
    expect(JSON.parse(entry!.details)).toEqual({ client: clientId, scopes: ["files", "mcp"] });
  });

  it("wants an agent that there is", async () => {
    const { form } = await someone.open(newRequest(clientId).url);
    form.set("decision", "allow");
    expect((await someone.submit(form)).text).toContain("Choose an agent");
    form.set("agent", "nobody");
    const page = await someone.submit(form);
    expect([page.status, page.location]).toEqual([400, undefined]);
    expect(page.text).toContain("no agent is named nobody");
  });

  it("says so where there is no agent, and chooses the only one", async () => {
    await using none = await open({ agents: {} });
    const { text } = await (await signedIn(none.app)).open(newRequest(clientId).url);
    expect(text).toContain("toolkeep agent create");
    expect(text).not.toContain("<form");
    await using one = await open({ agents: { main: [] } });
    const { form } = await (await signedIn(one.app)).open(newRequest(clientId).url);
    expect(form.get("agent")).toBe("main");
  });

  it("offers what covers a tool but admin to a client that names none, and admin to one that does", async () => {
    const offered = async (scope?: string) => {
      const { text } = await someone.open(newRequest(clientId, { scope }).url);
      return [...text.matchAll(/name="allowed" value="([^"]*)"/g)].map(([, name]) => name);
    };
    expect(await offered()).toEqual(SCOPES.filter((scope) => scope !== "admin"));
    expect(await offered("offline_access")).toEqual(await offered());
    expect(await offered("web mcp search")).toEqual(["web", "mcp", "search"]);
    expect(await offered("mcp label:private label:No label:private")).toEqual(["mcp", "label:private"]);
    expect(await offered("web")).toEqual(["web"]);
    expect(await offered("admin offline_access openid")).toEqual(["admin"]);
  });

  it("ticks shell only for a client that names it, and gives it when the person ticks it", async () => {
    const ticked = async (scope?: string) =>
      (await someone.open(newRequest(clientId, { scope }).url)).form.getAll("allowed");
    expect(await ticked("shell mcp")).toEqual(["shell", "mcp"]);
    expect(await ticked()).toEqual(SCOPES.filter((scope) => scope !== "admin" && scope !== "shell"));
    expect(await ticked("mcp label:private")).toEqual(["mcp"]);
    const { form } = await someone.open(newRequest(clientId, { scope: undefined }).url);
    form.set("agent", "main");
    form.set("decision", "allow");
    form.append("allowed", "shell");
    expect((await someone.submit(form)).status).toBe(303);
    const [consent] = await accessTables(api.hub.store).consents.list();
    expect(consent?.scopes).toContain("shell");
  });

  it("says how long a yes lasts and how to end it", async () => {
    const { text } = await someone.open(newRequest(clientId).url);
    expect(text).toContain("within 30 days");
    expect(text).toContain("toolkeep token revoke");
  });

  it("says which host to put into the link where the page was reached by another name", async () => {
    const at = async (name: string) =>
      (await api.app.inject({ url: newRequest(clientId).url, headers: { host: name } })).body;
    expect(await at("127.0.0.1:19850")).not.toContain("in place of");
    const page = await at("localhost:19850");
    expect(page).toContain("toolkeep open --print");
    expect(page).toMatch(/<strong>localhost:19850<.strong> in place of <strong>127\.0\.0\.1:19850</);

    const link = new URL((await api.request("POST", "/api/login-links")).body.url);
    const login = await enter(api.app, link.href, "localhost:19850");
    expect(login.headers["set-cookie"]).toContain("toolkeep_session=");
  });

  describe("goes nowhere", () => {
    it.each([
      ["for an address that the client did not register", { redirect_uri: "https://evil.example/back" }],
      ["for an unsafe scheme", { redirect_uri: "javascript:alert(1)" }],
      ["for an address that only begins like one", { redirect_uri: `${REDIRECT}/../evil` }],
      ["without an address", { redirect_uri: undefined }],
      ["for a client that cannot be told", { client_id: "somebody" }],
      ["without a client", { client_id: undefined }],
      ["for a client inside", { client_id: "https://127.0.0.1/id.json" }],
      ["for a client by http", { client_id: "http://client.test/id.json" }],
    ])("%s", async (_, change) => {
      const page = await someone.open(newRequest(clientId, change).url);
      expect([page.status, page.location]).toEqual([400, undefined]);
      expect(page.text).toContain("cannot be granted");
      expect(page.text).not.toMatch(/<form|<a |javascript:|evil/);
    });

    it("for a parameter that comes twice", async () => {
      const { url } = newRequest(clientId);
      for (const twice of [
        "&client_id=https://evil.example/id.json",
        "&redirect_uri=https://evil.example/",
      ]) {
        const page = await someone.open(url + twice);
        expect(page.status).toBe(400);
        expect(page.text).toContain("more than once");
      }
    });
  });

  it.each([
    ["unsupported_response_type", { response_type: "token" }],
    ["unsupported_response_type", { response_type: undefined }],
    ["invalid_request", { code_challenge: undefined }],
    ["invalid_request", { code_challenge_method: "plain" }],
    ["invalid_request", { code_challenge_method: undefined }],
    ["invalid_request", { code_challenge: "short" }],
    ["invalid_request", { state: "x".repeat(4_001) }],
    ["invalid_target", { resource: undefined }],
    ["invalid_target", { resource: "https://other.example/mcp" }],
    ["invalid_target", { resource: `${ADDRESS}/api` }],
    ["invalid_target", { resource: `${ADDRESS}/mcp/../api` }],
    ["invalid_target", { resource: `${ADDRESS}/mcp#x` }],
    ["invalid_target", { resource: `${ADDRESS}/mcp?x` }],
    ["invalid_target", { resource: "http://user@127.0.0.1:19850/mcp" }],
    ["invalid_target", { resource: "http://127.0.0.1:19851/mcp" }],
    ["invalid_scope", { scope: "everything" }],
  ])("tells person and client of %s for %j, and leads back only by a click", async (error, change) => {
    const page = await someone.open(newRequest(clientId, change).url);
    expect([page.status, page.location]).toEqual([400, undefined]);
    expect(page.text).not.toContain("<form");
    const back = new URL(/<a href="([^"]*)"/.exec(page.text)![1]!.replaceAll("&amp;", "&"));
    expect(back.origin + back.pathname).toBe(REDIRECT);
    expect(back.searchParams.get("error")).toBe(error);
    expect(back.searchParams.get("iss")).toBe(ADDRESS);
  });

  describe("takes no form", () => {
    it("of another session, of none, or of nobody's page", async () => {
      const another = await signedIn(api.app);
      const { form } = await someone.open(newRequest(clientId).url);
      form.set("agent", "main");
      form.set("decision", "allow");
      expect((await another.submit(form)).status).toBe(403);
      expect((await person(api.app).submit(form)).status).toBe(401);
      expect((await someone.submit(form, { origin: "http://127.0.0.1:3000" })).status).toBe(403);
      expect((await someone.submit(form, { origin: "https://evil.example" })).status).toBe(403);
      expect((await someone.submit(form, { origin: "null" })).status).toBe(403);
      expect((await someone.submit(form, { origin: null })).status).toBe(403);
      const seal = form.get("seal")!;
      for (const wrong of ["", "x", seal.slice(1), `${seal}x`]) {
        form.set("seal", wrong);
        expect((await someone.submit(form)).status).toBe(403);
      }
      form.delete("seal");
      expect((await someone.submit(form)).status).toBe(403);
      expect(await accessTables(api.hub.store).consents.list()).toEqual([]);
    });

    it("for another request than the one that was shown", async () => {
      for (const [name, value] of [
        ["client_id", host.client("/evil.json", [REDIRECT])],
        ["redirect_uri", "https://client.example/back?keep=1"],
        ["code_challenge", "E".repeat(43)],
        ["resource", `${ADDRESS}/mcp/other`],
        ["scope", "files mcp shell"],
        ["state", "other"],
      ] as const) {
        const { form } = await someone.open(newRequest(clientId).url);
        form.set("agent", "main");
        form.set("decision", "allow");
        form.set(name, value);
        expect([name, (await someone.submit(form)).status]).toEqual([name, 403]);
        form.append(name, value);
        expect((await someone.submit(form)).status).toBe(403);
      }
    });

    it("that is huge, or of another kind", async () => {
      const { form } = await someone.open(newRequest(clientId).url);
      form.set("more", "x".repeat(40_000));
      expect((await someone.submit(form)).status).toBe(413);
      form.delete("more");
      expect((await someone.submit(form, { "content-type": "text/plain" })).status).not.toBe(303);
      expect((await someone.submit(form, { "content-type": "application/json" })).status).not.toBe(303);
    });
  });

  it("reaches documents by a guarded fetch that trusts nobody unasked", async () => {
    await using api = await testApi({ agents: { main: [] } });
    const someone = await signedIn(api.app);
    const before = host.asked.length;
    const port = new URL(clientId).port;
    for (const id of [`https://127.0.0.1:${port}/id.json`, `https://localhost:${port}/id.json`]) {
      const page = await someone.open(newRequest(id).url);
      expect(page.status).toBe(400);
      expect(page.text).toContain("may not be reached");
    }
    expect(host.asked.length).toBe(before);
  });

  it("logs whom a person let in, and no secret", async () => {
    const lines: object[] = [];
    const log = { debug() {}, warn() {}, error() {}, info: (fields: object) => void lines.push(fields) };
    await using api = await testApi({
      agents: { main: [] },
      options: { documentFetch: host.fetch(), log },
    });
    const code = await codeFor(await signedIn(api.app), newRequest(clientId).url);
    expect(lines).toContainEqual({
      client: clientId,
      agent: "main",
      scopes: ["files", "mcp"],
      resource: "/mcp",
    });
    expect(JSON.stringify(lines)).not.toContain(code);
  });
});
