import Fastify from "fastify";
import { describe, expect, it } from "vitest";
import { createHub } from "../../../../src/hub.ts";
import { silentLog } from "../../../../src/lib/log.ts";
import { loadSettings } from "../../../../src/machine/config/load.ts";
import { Admission, type AdmissionRequest } from "../../../../src/surfaces/gateway/http/admission.ts";
import type { HttpAnswer } from "../../../../src/surfaces/gateway/messages.ts";
import { mountRpc } from "../../../../src/surfaces/gateway/rpc.ts";
import { mountGateway } from "../../../../src/surfaces/gateway/serve-mcp.ts";
import { issuedTokens } from "../../../support/issued-token.ts";
import { hasPostgres } from "../../../support/postgres.ts";
import { readySchema } from "../../../support/ready-schema.ts";
import { tempHome } from "../../../support/temp-home.ts";
import { type TestHubSetup, testHub } from "../../../support/test-hub.ts";
import { waitUntil } from "../../../support/wait-until.ts";

const HOST = "127.0.0.1:19850";
const METADATA = `http://${HOST}/.well-known/oauth-protected-resource/mcp`;

async function open(setup: TestHubSetup = {}) {
  const tested = await testHub({ agents: { main: [] }, ...setup });
  const { hub } = tested;
  const admission = new Admission(hub.identity, () => hub.settings);
  const admit = (token: string | undefined, change: Partial<AdmissionRequest> = {}) =>
    admission.admit({
      authorization: token === undefined ? undefined : `Bearer ${token}`,
      host: HOST,
      address: "192.0.2.1",
      path: "/mcp",
      ...change,
    });
  const token = async (input = {}) => (await hub.identity.createToken({ agent: "main", ...input })).token;
  const refused = async (...request: Parameters<typeof admit>): Promise<HttpAnswer> => {
    const admitted = await admit(...request);
    if (admitted.ok) throw new Error("it was admitted");
    return admitted.error;
  };
  return { ...tested, admission, admit, token, refused };
}

describe("a request", () => {
  it("is whoever its own token is of, whatever came over the same connection before", async () => {
    await using t = await open({ agents: { main: [], other: [] } });
    const { hub } = t;
    const created = await hub.identity.createToken({ agent: "main" });
    const other = (await hub.identity.createToken({ agent: "other" })).token;
    const connection = {};
    const agentOf = async (token: string) => {
      const admitted = await t.admit(token, { connection });
      return admitted.ok ? admitted.value.agent.name : admitted.error.status;
    };
    expect([await agentOf(created.token), await agentOf(created.token)]).toEqual(["main", "main"]);
    expect([await agentOf(other), await agentOf("tk_sk_wrong")]).toEqual(["other", 401]);
    expect((await t.refused(undefined, { connection })).status).toBe(401);
    expect(await agentOf(created.token)).toBe("main");
    await hub.identity.deleteToken(created.record.id);
    expect(await agentOf(created.token)).toBe(401);
  });

  it("with an agent's token is let in at once, without waiting", async () => {
    await using t = await open();
    const admitted = t.admit(await t.token({ scopes: ["files"] }));
    expect(admitted).toMatchObject({
      ok: true,
      value: { kind: "agent", agent: { name: "main" }, scopes: ["files"], resource: null },
    });
  });

  it("without a token is 401 with a challenge that says where to get one, and no error", async () => {
    await using t = await open();
    const { status, headers, body } = await t.refused(undefined);
    expect(status).toBe(401);
    const challenge = headers["www-authenticate"];
    expect(challenge).toBe(
      `Bearer realm="toolkeep", resource_metadata="${METADATA}", scope="files shell web human tools mcp search get memory.read memory.write sync ingest"`,
    );
    expect(JSON.parse(body)).toMatchObject({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32000, data: { code: "UNAUTHORIZED" } },
    });
  });

  it("with a token that is not known or has expired is 401 invalid_token", async () => {
    await using t = await open();
    const expired = await t.token({ expiresInMs: 1 });
    await waitUntil("it has expired", () => t.hub.identity.authenticate(expired) === "expired");
    for (const [token, why] of [
      ["tk_sk_wrong", "the bearer token is not known here"],
      [expired, "the bearer token has expired"],
    ]) {
      const { status, headers } = await t.refused(token);
      expect(status).toBe(401);
      expect(headers["www-authenticate"]).toContain(`, error="invalid_token", error_description="${why}"`);
      expect(headers["www-authenticate"]).toContain(`resource_metadata="${METADATA}"`);
    }
  });

  it("with an admin's token, or one without any scope, is 403 insufficient_scope", async () => {
    await using t = await open();
    const { token: admin } = await t.hub.identity.createToken({});
    for (const token of [admin, await t.token({ scopes: [] })]) {
      const { status, headers, body } = await t.refused(token);
      expect(status).toBe(403);
      expect(headers["www-authenticate"]).toContain('error="insufficient_scope"');
      expect(headers["www-authenticate"]).toContain('scope="files ');
      expect(headers["www-authenticate"]).toContain(`resource_metadata="${METADATA}"`);
      expect(JSON.parse(body).error.data.code).toBe("FORBIDDEN");
    }
  });

  it("is challenged by the name it came by, or by the public address", async () => {
    await using t = await open();
    const { headers } = await t.refused(undefined, { host: "localhost:7", path: "/mcp/server/files" });
    expect(headers["www-authenticate"]).toContain(
      'resource_metadata="http://localhost:7/.well-known/oauth-protected-resource/mcp/server/files"',
    );
    await using proxied = await open({ settings: { public_url: "https://tools.example/keep" } });
    const answer = await proxied.refused(undefined, { host: "10.0.0.5:19850", path: "/mcp/research" });
    expect(answer.headers["www-authenticate"]).toContain(
      'resource_metadata="https://tools.example/keep/.well-known/oauth-protected-resource/mcp/research"',
    );
  });

  it("is not sent to an authorization server that is turned off", async () => {
    await using t = await open({ settings: { oauth_server: { enabled: false } } });
    const { headers } = await t.refused(undefined);
    expect(headers["www-authenticate"]).toBe('Bearer realm="toolkeep"');
  });

  it("cannot put anything into the challenge by its path or host", async () => {
    await using t = await open();
    const { headers } = await t.refused(undefined, { path: '/mcp/a", error="x', host: 'a"b' });
    expect(headers["www-authenticate"]).not.toContain('error="x');
    expect(headers["www-authenticate"]).toContain(
      `resource_metadata="http://127.0.0.1:19850/.well-known/oauth-protected-resource"`,
    );
  });
});

describe("a token that was issued for one path", () => {
  it("opens that one and is 401 invalid_token at every other", async () => {
    await using t = await open();
    const { token } = await t.hub.identity.createToken({ agent: "main" });
    const access = (await issuedTokens(t.hub, "main", "/mcp/research")).accessToken;
    expect(await t.admit(access, { path: "/mcp/research" })).toMatchObject({ ok: true });
    for (const path of ["/mcp", "/mcp/other", "/rpc", "/mcp/server/research"]) {
      expect(await t.admit(token, { path })).toMatchObject({ ok: true });
      const { status, headers } = await t.refused(access, { path });
      expect(status).toBe(401);
      expect(headers["www-authenticate"]).toContain('error="invalid_token"');
    }
  });
});

describe("rate limits", () => {
  it("are off by default: a client may come as often as it can", async () => {
    await using t = await open();
    const token = await t.token();
    for (let count = 0; count < 5_000; count++) {
      const admitted = t.admit(token);
      if (admitted instanceof Promise || !admitted.ok) throw new Error(`turned away after ${count}`);
    }
  });

  it("turn a token away with 429 and how long to wait, and no other token", async () => {
    await using t = await open({ settings: { rate_limits: { requests_per_minute: 2 } } });
    const token = await t.token();
    expect([t.admit(token), t.admit(token)]).toMatchObject([{ ok: true }, { ok: true }]);
    const { status, headers, body } = await t.refused(token);
    expect([status, headers["retry-after"]]).toEqual([429, expect.stringMatching(/^([12]?\d|30)$/)]);
    expect(JSON.parse(body)).toMatchObject({
      id: null,
      error: { code: -32000, data: { code: "RATE_LIMITED", retryAfterMs: expect.any(Number) } },
    });
    expect(t.admit(await t.token())).toMatchObject({ ok: true });
  });

  it("of a token count more than those of the settings", async () => {
    await using t = await open({ settings: { rate_limits: { requests_per_minute: 1 } } });
    const token = await t.token({ requestsPerMinute: 3 });
    for (let count = 0; count < 3; count++) expect(t.admit(token)).toMatchObject({ ok: true });
    expect((await t.refused(token)).status).toBe(429);
  });

  it("count what was refused for another reason for nothing", async () => {
    await using t = await open({ settings: { rate_limits: { requests_per_minute: 1 } } });
    const access = (await issuedTokens(t.hub, "main", "/mcp/research")).accessToken;
    await t.refused(access, { path: "/mcp" });
    expect(await t.admit(access, { path: "/mcp/research" })).toMatchObject({ ok: true });
  });

  it("turn away who guesses, by address, and let in who knows", async () => {
    await using t = await open({ settings: { rate_limits: { failures_per_minute: 3 } } });
    const token = await t.token();
    for (let count = 0; count < 3; count++) expect((await t.refused(`tk_sk_${count}`)).status).toBe(401);
    const { status, headers } = await t.refused("tk_sk_guess");
    expect([status, headers["retry-after"]]).toEqual([429, expect.stringMatching(/^(1?\d|20)$/)]);
    expect(t.admit(token)).toMatchObject({ ok: true });
    expect((await t.refused("tk_sk_guess", { address: "192.0.2.2" })).status).toBe(401);
    // Somebody who has no token yet must find out how to get one.
    expect((await t.refused(undefined)).status).toBe(401);
  });
});

describe("over HTTP", () => {
  it("/mcp and /rpc challenge who comes without a token, and turn away who comes too often, together", async () => {
    await using t = await open({ settings: { rate_limits: { requests_per_minute: 2 } } });
    const app = Fastify({ forceCloseConnections: true });
    const { lists } = mountGateway(app, t.hub, { log: silentLog, version: "0.0.0-test" });
    mountRpc(app, t.hub, { log: silentLog, lists });
    const origin = await app.listen({ host: "127.0.0.1", port: 0 });
    const post = (path: string, token?: string) =>
      fetch(origin + path, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
      });
    for (const [path, metadata] of [
      ["/mcp", "/mcp"],
      ["/mcp/research", "/mcp/research"],
      ["/rpc", ""],
    ] as const) {
      const response = await post(path);
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toContain(
        `resource_metadata="${origin}/.well-known/oauth-protected-resource${metadata}"`,
      );
    }
    const token = await t.token();
    const statuses = [(await post("/rpc", token)).status, (await post("/mcp", token)).status];
    expect(statuses).not.toContain(429);
    for (const path of ["/mcp", "/rpc"]) {
      const response = await post(path, token);
      expect([response.status, response.headers.get("retry-after")]).toEqual([
        429,
        expect.stringMatching(/^([12]?\d|30)$/),
      ]);
      expect(await response.json()).toMatchObject({ error: { data: { code: "RATE_LIMITED" } } });
    }
    await app.close();
  });
});

describe.runIf(hasPostgres())("on PostgreSQL", () => {
  it("a token that another process issued a moment ago is found", async () => {
    await using schema = await readySchema();
    await using home = await tempHome();
    const env = { TOOLKEEP_HOME: home.path, DATABASE_URL: schema.url, TOOLKEEP_KEY: KEY };
    const loaded = await loadSettings({ cwd: home.path, env, isTrusted: () => false });
    const [one, two] = [
      await createHub({ loaded, version: "0", env }),
      await createHub({ loaded, version: "0", env }),
    ];
    await one.identity.createAgent("main");
    const access = (await issuedTokens(one, "main", "/mcp")).accessToken;
    const admission = new Admission(two.identity, () => two.settings);
    const attempt = { authorization: `Bearer ${access}`, host: HOST, address: "192.0.2.1", path: "/mcp" };
    expect(await admission.admit(attempt)).toMatchObject({ ok: true, value: { agent: { name: "main" } } });
    const wrong = { ...attempt, authorization: `Bearer ${access.slice(0, -4)}AAAA` };
    expect(await admission.admit(wrong)).toMatchObject({ ok: false, error: { status: 401 } });
    await two.close();
    await one.close();
  });
});

const KEY = Buffer.alloc(32, 7).toString("base64");
