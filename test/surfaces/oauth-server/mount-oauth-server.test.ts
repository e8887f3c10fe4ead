import { describe, expect, it } from "vitest";
import { ToolkeepError } from "../../../src/contract/errors.ts";
import { ADDRESS, HOST } from "../../support/oauth-person.ts";
import { type TestApi, testApi } from "../../support/test-api.ts";

const RESOURCE = "/.well-known/oauth-protected-resource";
const SERVER = "/.well-known/oauth-authorization-server";

async function get(api: TestApi, url: string, host = HOST) {
  const response = await api.app.inject({ url, headers: { host } });
  return { status: response.statusCode, body: response.json() };
}

describe("the metadata of the protected resource", () => {
  it.each(["", "/mcp", "/mcp/research", "/mcp/server/my%20files"])(
    "%j is there without a token",
    async (path) => {
      await using api = await testApi();
      expect(await get(api, RESOURCE + path)).toEqual({
        status: 200,
        body: {
          resource: ADDRESS + path,
          authorization_servers: [ADDRESS],
          scopes_supported: expect.arrayContaining(["files", "mcp"]),
          bearer_methods_supported: ["header"],
          resource_name: "Toolkeep",
        },
      });
    },
  );

  it("tells nobody which toolboxes and servers there are, and nothing of other paths", async () => {
    await using api = await testApi();
    expect((await get(api, `${RESOURCE}/mcp/no-such-toolbox`)).status).toBe(200);
    for (const path of ["/api", "/mcp/a/b", "/mcp/../api", "/rpc", "/mcp/%2e%2e"])
      expect((await get(api, RESOURCE + path)).status).toBe(path.includes("%") ? 200 : 404);
  });

  it("names the address that the request came by, else the public one", async () => {
    await using api = await testApi();
    expect((await get(api, `${RESOURCE}/mcp`, "localhost:7")).body).toMatchObject({
      resource: "http://localhost:7/mcp",
      authorization_servers: ["http://localhost:7"],
    });
    await using proxied = await testApi({ settings: { public_url: "https://tools.example" } });
    expect((await get(proxied, `${RESOURCE}/mcp`)).body).toMatchObject({
      resource: "https://tools.example/mcp",
      authorization_servers: ["https://tools.example"],
    });
  });

  it("is found behind a proxy that adds a path, whether it takes it off or not", async () => {
    await using api = await testApi({ settings: { public_url: "https://tools.example/keep" } });
    for (const path of ["/mcp/research", "/keep/mcp/research"])
      expect((await get(api, RESOURCE + path)).body).toMatchObject({
        resource: "https://tools.example/keep/mcp/research",
        authorization_servers: ["https://tools.example/keep"],
      });
    for (const path of ["", "/keep"])
      expect((await get(api, SERVER + path)).body).toMatchObject({
        issuer: "https://tools.example/keep",
        token_endpoint: "https://tools.example/keep/oauth/token",
      });
  });

  it("names no authorization server where it is turned off", async () => {
    await using api = await testApi({ settings: { oauth_server: { enabled: false } } });
    const { status, body } = await get(api, `${RESOURCE}/mcp`);
    expect(status).toBe(200);
    expect(body).not.toHaveProperty("authorization_servers");
  });
});

describe("the metadata of the authorization server", () => {
  it("says what it can do, and that it wants PKCE and no secret", async () => {
    await using api = await testApi();
    const { body } = await get(api, SERVER);
    expect(body).toEqual({
      issuer: ADDRESS,
      authorization_endpoint: `${ADDRESS}/oauth/authorize`,
      token_endpoint: `${ADDRESS}/oauth/token`,
      revocation_endpoint: `${ADDRESS}/oauth/revoke`,
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      revocation_endpoint_auth_methods_supported: ["none"],
      scopes_supported: expect.arrayContaining(["files", "offline_access"]),
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
    expect((await get(api, `${SERVER}/mcp`)).status).toBe(404);
  });

  it("names a place to register only where that is turned on", async () => {
    await using api = await testApi({ settings: { oauth_server: { dynamic_registration: true } } });
    expect((await get(api, SERVER)).body.registration_endpoint).toBe(`${ADDRESS}/oauth/register`);
  });
});

describe("a request that is refused before it gets there", () => {
  it.each([
    ["HOST_REFUSED", 403, "invalid_request"],
    ["DAEMON_UNREACHABLE", 503, "temporarily_unavailable"],
  ] as const)("is refused with the status of %s, not as a failure of ours", async (code, status, error) => {
    const routes: NonNullable<Parameters<typeof testApi>[0]>["routes"] = (app) =>
      app.addHook("onRequest", async () => {
        throw new ToolkeepError(code, "not you");
      });
    await using api = await testApi({ routes });
    for (const url of ["/oauth/token", "/oauth/revoke", "/oauth/register"]) {
      const response = await api.app.inject({ method: "POST", url, payload: {} });
      expect(response.statusCode, url).toBe(status);
      expect(response.json()).toEqual({ error, error_description: "not you" });
    }
  });
});

describe("turned off", () => {
  it("none of it is there", async () => {
    await using api = await testApi({ settings: { oauth_server: { enabled: false } } });
    expect((await get(api, SERVER)).status).toBe(404);
    expect((await get(api, "/oauth/authorize")).status).toBe(404);
    for (const url of ["/oauth/authorize", "/oauth/token", "/oauth/revoke", "/oauth/register"]) {
      const response = await api.app.inject({
        method: "POST",
        url,
        headers: { "content-type": "application/x-www-form-urlencoded" },
        payload: "a=b",
      });
      expect(response.statusCode).toBe(404);
    }
  });
});
