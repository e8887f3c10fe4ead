import { describe, expect, test } from "vitest";
import { type OAuthServers, oauthServers } from "../../../../support/servers/oauth.ts";
import { type TestApi, testApi } from "../../../../support/test-api.ts";

const PATH = "/api/servers/remote/auth";

async function apiWith(remote: OAuthServers): Promise<TestApi> {
  const api = await testApi();
  await api.request("POST", "/api/servers", { name: "remote", url: remote.url, wait: true });
  return api;
}

/** The address that a browser which follows the link ends at. */
async function comeBack(api: TestApi, remote: OAuthServers): Promise<URL> {
  const { body } = await api.request("POST", PATH);
  return await remote.visit(body.url);
}

/** As a browser does: without any token. */
function callback(api: TestApi, address: URL) {
  return api.app.inject({ method: "GET", url: address.pathname + address.search });
}

describe("/api/servers/:name/auth", () => {
  test("gives a link, takes the address that the browser ended at, and tells how it stands", async () => {
    await using remote = await oauthServers();
    await using api = await apiWith(remote);
    expect((await api.request("GET", PATH)).body).toMatchObject({
      server: { name: "remote", state: "needs_auth" },
      signIn: { signedIn: false, pendingUntil: null },
    });

    const begun = await api.request("POST", PATH);
    expect(begun.body).toEqual({
      url: expect.stringContaining("/authorize?"),
      expiresAt: expect.any(Number),
    });
    expect(new URL(begun.body.url).searchParams.get("redirect_uri")).toBe(
      "http://127.0.0.1:19850/oauth/callback",
    );
    expect((await api.request("GET", PATH)).body.signIn.pendingUntil).toBe(begun.body.expiresAt);

    const back = await remote.visit(begun.body.url);
    const done = await api.request("POST", `${PATH}/complete`, { url: back.href, wait: true });
    expect(done).toMatchObject({
      status: 200,
      body: { server: { state: "ready" }, signIn: { signedIn: true, scope: "mcp:basic", failure: null } },
    });
    expect(JSON.stringify(done.body)).not.toContain("canary");
  });

  test("takes what follows the question mark too", async () => {
    await using remote = await oauthServers();
    await using api = await apiWith(remote);
    const back = await comeBack(api, remote);
    const { status } = await api.request("POST", `${PATH}/complete`, { url: ` ${back.search.slice(1)}\n` });
    expect(status).toBe(200);
  });

  test.each(["", "http://127.0.0.1:19850/oauth/callback", "canary-pasted-wrongly"])(
    "refuses %j with what it expected, and repeats nothing",
    async (url) => {
      await using remote = await oauthServers();
      await using api = await apiWith(remote);
      const { status, body } = await api.request("POST", `${PATH}/complete`, { url });
      expect(status).toBe(400);
      expect(body.error.message).toContain("the whole address");
      expect(body.error.message).not.toContain("canary");
    },
  );

  test("signs out", async () => {
    await using remote = await oauthServers();
    await using api = await apiWith(remote);
    await callback(api, await comeBack(api, remote));
    expect(await api.request("DELETE", PATH)).toMatchObject({
      status: 200,
      body: { server: { name: "remote" } },
    });
    expect((await api.request("GET", PATH)).body.signIn.signedIn).toBe(false);
  });

  test("wants an admin token", async () => {
    await using remote = await oauthServers();
    await using api = await apiWith(remote);
    for (const method of ["GET", "POST", "DELETE"] as const)
      expect((await api.app.inject({ method, url: PATH })).statusCode).toBe(401);
  });

  test("says where there is no signing in", async () => {
    await using api = await testApi();
    await api.request("POST", "/api/servers", { name: "local", command: "true" });
    const { status, body } = await api.request("POST", "/api/servers/local/auth");
    expect(status).toBe(400);
    expect(body.error.message).toContain("a program on this machine");
  });

  test("does nothing for a server that waits for approval", async () => {
    await using remote = await oauthServers();
    await using api = await testApi();
    await api.hub.upstream.add("remote", { url: remote.url }, { addedBy: "main" });
    const { status } = await api.request("POST", PATH);
    expect(status).toBe(400);
    expect(remote.mcpRequests).toEqual([]);
  });
});

describe("/oauth/callback", () => {
  test("ends the sign-in without a token, and tells the person in a page that loads nothing", async () => {
    await using remote = await oauthServers();
    await using api = await apiWith(remote);
    const page = await callback(api, await comeBack(api, remote));
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain("Signed in to remote. You can close this window.");
    expect(page.body).not.toMatch(/<script|canary/);
    expect(page.headers).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "content-security-policy": expect.stringContaining("default-src 'none'"),
    });
    expect((await api.request("GET", PATH)).body.signIn.signedIn).toBe(true);
  });

  test("shows what went wrong, as text", async () => {
    await using remote = await oauthServers({ denies: true });
    await using api = await apiWith(remote);
    const page = await callback(api, await comeBack(api, remote));
    expect(page.statusCode).toBe(403);
    expect(page.body).toContain("access_denied");
    expect(page.body).toContain("To try again: toolkeep server auth remote<");
    expect(page.body).toContain("&lt;b&gt;no&lt;/b&gt;");
  });

  test("counts once, and looking at the link in advance does not use it up", async () => {
    await using remote = await oauthServers();
    await using api = await apiWith(remote);
    const back = await comeBack(api, remote);
    await api.app.inject({ method: "HEAD", url: back.pathname + back.search });
    expect((await callback(api, back)).statusCode).toBe(200);
    expect((await callback(api, back)).statusCode).toBe(400);
    expect((await api.request("GET", PATH)).body.signIn.signedIn).toBe(true);
  });

  test("refuses what belongs to nothing", async () => {
    await using api = await testApi();
    for (const query of ["", "?state=x", `?state=${"x".repeat(500)}&code=1`])
      expect((await callback(api, new URL(`http://x/oauth/callback${query}`))).statusCode).toBe(400);
  });
});
