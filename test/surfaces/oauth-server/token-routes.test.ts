import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withoutOpenssl } from "../../machine/net/certificates.ts";
import { type DocumentHost, documentHost } from "../../support/document-host.ts";
import { sampleOf } from "../../support/length.ts";
import { ADDRESS, codeFor, newRequest, post, REDIRECT, signedIn } from "../../support/oauth-person.ts";
import { type TestApi, testApi } from "../../support/test-api.ts";
import type { TestHubSetup } from "../../support/test-hub.ts";

const reason = await withoutOpenssl();
if (reason) console.log(`the token endpoint is not tested: ${reason}`);

describe.skipIf(reason)("the token endpoint", () => {
  let host: DocumentHost;
  let clientId: string;
  let otherId: string;
  beforeAll(async () => {
    host = await documentHost();
    clientId = host.client("/id.json", [REDIRECT]);
    otherId = host.client("/other.json", [REDIRECT]);
  });
  afterAll(() => host[Symbol.asyncDispose]());

  const open = (setup: TestHubSetup = {}): Promise<TestApi> =>
    testApi({ agents: { main: [] }, ...setup, options: { documentFetch: host.fetch() } });

  /** A code that a person just gave, and the form that redeems it. */
  async function granted(api: TestApi, change: Record<string, string | undefined> = {}) {
    const { verifier, url } = newRequest(clientId, change);
    const code = await codeFor(await signedIn(api.app), url);
    return {
      grant_type: "authorization_code",
      client_id: clientId,
      code,
      redirect_uri: REDIRECT,
      code_verifier: verifier,
      resource: change.resource ?? `${ADDRESS}/mcp`,
    };
  }

  async function tokens(api: TestApi) {
    return (await post(api.app, "/oauth/token", await granted(api))).body;
  }

  const renewal = (refresh_token: string) => ({
    grant_type: "refresh_token",
    client_id: clientId,
    refresh_token,
  });

  it("gives a token of Toolkeep, bound to the agent, for a code", async () => {
    await using api = await open();
    const { status, body, headers } = await post(api.app, "/oauth/token", await granted(api));
    expect(status).toBe(200);
    expect(headers["cache-control"]).toBe("no-store");
    expect(body).toEqual({
      access_token: expect.stringMatching(/^tk_sk_[\w-]{43}$/),
      token_type: "Bearer",
      expires_in: 3_600,
      refresh_token: expect.stringMatching(/^tk_rt_[\w-]{43}$/),
      scope: "files mcp",
    });
    expect(api.hub.identity.authenticate(body.access_token)).toMatchObject({
      kind: "agent",
      agent: { name: "main" },
      scopes: ["files", "mcp"],
      resource: "/mcp",
    });
  });

  it("opens no API: the token is an agent's", async () => {
    await using api = await open();
    const { access_token } = await tokens(api);
    const response = await api.app.inject({
      url: "/api/agents",
      headers: { authorization: `Bearer ${access_token}` },
    });
    expect(response.statusCode).toBe(403);
  });

  it("takes a resource with a slash at its end, and none at all, for what was agreed to", async () => {
    await using api = await open();
    const root = await granted(api, { resource: `${ADDRESS}/` });
    expect((await post(api.app, "/oauth/token", { ...root, resource: ADDRESS })).status).toBe(200);
    const { resource: _, ...without } = await granted(api, { resource: `${ADDRESS}/mcp/research` });
    const { body } = await post(api.app, "/oauth/token", without);
    expect(api.hub.identity.authenticate(body.access_token)).toMatchObject({ resource: "/mcp/research" });
  });

  it.each(
    sampleOf(
      [
        ["a wrong verifier", { code_verifier: "x".repeat(43) }, 400, "invalid_grant"],
        ["a verifier that is too short", { code_verifier: "short" }, 400, "invalid_grant"],
        ["another redirect URI", { redirect_uri: "http://127.0.0.1:4712/back" }, 400, "invalid_grant"],
        ["another client's id", { client_id: "https://client.test/other.json" }, 400, "invalid_grant"],
        ["another resource", { resource: `${ADDRESS}/mcp/other` }, 400, "invalid_target"],
        ["a resource elsewhere", { resource: "https://other.example/mcp" }, 400, "invalid_target"],
        ["a code that was never given", { code: "tk_ac_made-up" }, 400, "invalid_grant"],
        ["no code", { code: "" }, 400, "invalid_request"],
        ["no verifier", { code_verifier: "" }, 400, "invalid_request"],
        ["no redirect URI", { redirect_uri: "" }, 400, "invalid_request"],
        ["no client", { client_id: "" }, 400, "invalid_request"],
        ["a secret", { client_secret: "x" }, 401, "invalid_client"],
        ["another kind of grant", { grant_type: "password" }, 400, "unsupported_grant_type"],
        ["no kind of grant", { grant_type: "" }, 400, "unsupported_grant_type"],
      ],
      5,
    ),
  )("refuses %s, and the right one counts afterwards", async (_, change, status, error) => {
    await using api = await open();
    const form = await granted(api);
    const refused = await post(api.app, "/oauth/token", { ...form, ...change });
    expect([refused.status, refused.body.error]).toEqual([status, error]);
    expect(refused.headers["cache-control"]).toBe("no-store");
    expect((await post(api.app, "/oauth/token", form)).status).toBe(200);
  });

  it("refuses a code that another client was given", async () => {
    await using api = await open();
    const form = await granted(api);
    const { body } = await post(api.app, "/oauth/token", { ...form, client_id: otherId });
    expect(body.error).toBe("invalid_grant");
  });

  it("refuses a code the second time, and ends what it brought", async () => {
    await using api = await open();
    const form = await granted(api);
    const { body } = await post(api.app, "/oauth/token", form);
    expect((await post(api.app, "/oauth/token", form)).body.error).toBe("invalid_grant");
    expect(api.hub.identity.authenticate(body.access_token)).toBe("unknown");
  });

  it("lets of many who bring the same code at once at most one in", async () => {
    await using api = await open();
    const form = await granted(api);
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(api.app, "/oauth/token", form)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    const { access_token } = answers.find(({ status }) => status === 200)?.body ?? {};
    expect(api.hub.identity.authenticate(access_token)).not.toMatchObject({ kind: "agent" });
  });

  it("renews, each time with another refresh token, and ends everything when an old one comes", async () => {
    await using api = await open();
    const first = await tokens(api);
    const second = await post(api.app, "/oauth/token", renewal(first.refresh_token));
    expect(second.body.refresh_token).not.toBe(first.refresh_token);
    expect(api.hub.identity.authenticate(second.body.access_token)).toMatchObject({ kind: "agent" });
    const third = await post(api.app, "/oauth/token", renewal(second.body.refresh_token));
    expect(third.status).toBe(200);
    const again = await post(api.app, "/oauth/token", renewal(first.refresh_token));
    expect([again.status, again.body.error]).toEqual([400, "invalid_grant"]);
    expect(api.hub.identity.authenticate(third.body.access_token)).toBe("unknown");
    const last = await post(api.app, "/oauth/token", renewal(third.body.refresh_token));
    expect(last.body.error).toBe("invalid_grant");
  });

  it("renews for less, and not for more", async () => {
    await using api = await open();
    const { refresh_token } = await tokens(api);
    const more = { ...renewal(refresh_token), scope: "files shell" };
    expect((await post(api.app, "/oauth/token", more)).body.error).toBe("invalid_scope");
    const less = { ...renewal(refresh_token), scope: "files offline_access" };
    expect((await post(api.app, "/oauth/token", less)).body.scope).toBe("files");
  });

  it("renews for the client that has the token only", async () => {
    await using api = await open();
    const { refresh_token } = await tokens(api);
    const { body } = await post(api.app, "/oauth/token", { ...renewal(refresh_token), client_id: otherId });
    expect(body.error).toBe("invalid_grant");
  });

  it("takes a form and nothing else", async () => {
    await using api = await open();
    const form = await granted(api);
    const json = await api.app.inject({ method: "POST", url: "/oauth/token", payload: form });
    expect([json.statusCode, json.json().error]).toEqual([400, "invalid_request"]);
    const twice = await api.app.inject({
      method: "POST",
      url: "/oauth/token",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      payload: `${new URLSearchParams(form)}&code=x`,
    });
    expect(twice.json()).toEqual({ error: "invalid_request", error_description: "code came more than once" });
    const large = await post(api.app, "/oauth/token", { ...form, more: "x".repeat(40_000) });
    expect([large.status, large.body.error]).toEqual([413, "invalid_request"]);
    const basic = await post(api.app, "/oauth/token", form, { authorization: "Basic YTpi" });
    expect([basic.status, basic.body.error]).toEqual([401, "invalid_client"]);
    expect((await api.app.inject({ url: "/oauth/token" })).statusCode).toBe(404);
  });

  it("slows down who guesses, and lets in who knows", async () => {
    await using api = await open({ settings: { rate_limits: { failures_per_minute: 3 } } });
    const form = await granted(api);
    const guess = (code: string) => post(api.app, "/oauth/token", { ...form, code });
    for (const code of ["a", "b", "c"]) expect((await guess(code)).status).toBe(400);
    const { status, headers } = await guess("d");
    expect([status, headers["retry-after"]]).toEqual([429, expect.stringMatching(/^(1?\d|20)$/)]);
    expect((await post(api.app, "/oauth/token", form)).status).toBe(200);
  });

  it("takes tokens back, of the client that has them", async () => {
    await using api = await open();
    const { access_token, refresh_token } = await tokens(api);
    const revoke = (token: string, client_id = clientId) =>
      post(api.app, "/oauth/revoke", { token, client_id });
    expect((await revoke(refresh_token, otherId)).status).toBe(200);
    expect((await revoke("unknown")).status).toBe(200);
    expect(api.hub.identity.authenticate(access_token)).toMatchObject({ kind: "agent" });
    expect((await revoke(refresh_token)).status).toBe(200);
    expect(api.hub.identity.authenticate(access_token)).toBe("unknown");
    expect((await post(api.app, "/oauth/token", renewal(refresh_token))).body.error).toBe("invalid_grant");
    expect((await post(api.app, "/oauth/revoke", { client_id: clientId })).body.error).toBe(
      "invalid_request",
    );
  });

  it("shows people which client has which token, and one revocation ends all of it", async () => {
    await using api = await open();
    const { access_token, refresh_token } = await tokens(api);
    const { body } = await api.request("GET", "/api/tokens");
    expect(body.tokens).toMatchObject([
      {
        agent: "main",
        client: { id: clientId, name: "A <b>client</b>", renewsUntil: expect.any(Number) },
        resource: "/mcp",
        scopes: ["files", "mcp"],
      },
    ]);
    expect(body.tokens[0]).not.toHaveProperty("consentId");
    expect((await api.request("DELETE", `/api/tokens/${body.tokens[0].id}`)).status).toBe(200);
    expect(api.hub.identity.authenticate(access_token)).toBe("unknown");
    expect((await post(api.app, "/oauth/token", renewal(refresh_token))).body.error).toBe("invalid_grant");
  });
});

describe("registering", () => {
  const on = { settings: { oauth_server: { dynamic_registration: true } }, agents: { main: [] } };
  const register = async (api: TestApi, payload: object) => {
    const response = await api.app.inject({ method: "POST", url: "/oauth/register", payload });
    return { status: response.statusCode, body: response.json() };
  };
  const metadata = { client_name: "Itself", redirect_uris: [REDIRECT] };

  it("is off unless it is turned on", async () => {
    await using api = await testApi();
    const refused = await register(api, metadata);
    expect(refused).toMatchObject({ status: 403, body: { error: "access_denied" } });
    expect(refused.body.error_description).toContain("oauth_server.dynamic_registration");
  });

  it("gives a client an id by which it may ask, and nobody vouches for it", async () => {
    await using api = await testApi(on);
    const { status, body } = await register(api, metadata);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      client_id: expect.stringMatching(/^tkc_/),
      client_name: "Itself",
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: "none",
    });
    expect(body).not.toHaveProperty("client_secret");
    const someone = await signedIn(api.app);
    const { verifier, url } = newRequest(body.client_id);
    expect((await someone.open(url)).text).toContain("nobody");
    const answer = await post(api.app, "/oauth/token", {
      grant_type: "authorization_code",
      client_id: body.client_id,
      code: await codeFor(someone, url),
      redirect_uri: REDIRECT,
      code_verifier: verifier,
    });
    expect(answer.status).toBe(200);
  });

  it("keeps nothing: strangers cannot fill the store", async () => {
    await using api = await testApi(on);
    const before = JSON.stringify(await api.hub.store.dump());
    for (let count = 0; count < 20; count++) await register(api, metadata);
    expect(JSON.stringify(await api.hub.store.dump())).toBe(before);
  });

  it("counts no longer once it is turned off, and a made-up id never", async () => {
    await using api = await testApi(on);
    const { body } = await register(api, metadata);
    const someone = await signedIn(api.app);
    const altered = `${body.client_id.slice(0, -6)}AAAAAA`;
    for (const id of [altered, "tkc_", "tkc_made-up", "itself"])
      expect((await someone.open(newRequest(id).url)).status).toBe(400);
    await using off = await testApi({ agents: { main: [] } });
    expect((await (await signedIn(off.app)).open(newRequest(body.client_id).url)).status).toBe(400);
  });

  it.each(
    sampleOf(
      [
        [{}, "invalid_client_metadata"],
        [{ redirect_uris: "x" }, "invalid_client_metadata"],
        [{ redirect_uris: [] }, "invalid_client_metadata"],
        [{ redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
        [{ redirect_uris: ["http://evil.example/"] }, "invalid_redirect_uri"],
        [
          { redirect_uris: [1, 2].map((n) => `https://a.example/${n}${"x".repeat(1_500)}`) },
          "invalid_redirect_uri",
        ],
        [{ ...metadata, token_endpoint_auth_method: "client_secret_basic" }, "invalid_client_metadata"],
        [{ ...metadata, client_name: "x".repeat(501) }, "invalid_client_metadata"],
      ],
      3,
    ),
  )("refuses %j", async (payload, error) => {
    await using api = await testApi(on);
    expect(await register(api, payload)).toMatchObject({ status: 400, body: { error } });
  });

  it("takes only so much", async () => {
    await using api = await testApi(on);
    const { status } = await register(api, { ...metadata, more: "x".repeat(40_000) });
    expect(status).toBe(413);
  });
});
