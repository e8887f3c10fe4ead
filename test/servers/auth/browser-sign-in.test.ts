import { describe, expect, test } from "vitest";
import { Events } from "../../../src/contract/events.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { completeServerConfig } from "../../../src/machine/config/sections/server-config.ts";
import { SignInNotices } from "../../../src/servers/auth/sign-in-notices.ts";
import { mcpOverHttp, remoteServer } from "../../support/remote-server.ts";
import { oauthServers } from "../../support/servers/oauth.ts";
import { CALLBACK, everythingSaid, signIn, upstreamWith, visitLink } from "../../support/sign-in.ts";
import { said, settingsWith, testUpstream } from "../../support/upstream.ts";

describe("a server that wants somebody to sign in", () => {
  test("waits for a person: it is not tried again, models read one sentence, people are told how", async () => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote, {}, { backoffMs: [1] });
    const { state, lastError } = up.upstream.server("remote");
    expect(state).toBe("needs_auth");
    expect(lastError).toContain("toolkeep server auth remote");

    const tries = remote.mcpRequests.length;
    expect(await up.upstream.signInStatus("remote")).toMatchObject({ signedIn: false, pendingUntil: null });
    expect((await up.store.notifications.list()).map(({ title }) => title)).toEqual([
      "MCP server remote needs you to sign in",
    ]);
    expect(remote.mcpRequests).toHaveLength(tries);
  });

  test("is used once they have, and asks no more", async () => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote);
    await signIn(up, remote);
    expect(up.upstream.server("remote")).toMatchObject({ state: "ready", lastError: null, toolCount: 2 });
    expect(said(await up.call("mcp_remote_hello"))).toBe("hello was called");
    expect(await up.store.notifications.list()).toEqual([]);
    expect(await up.upstream.signInStatus("remote")).toMatchObject({
      signedIn: true,
      issuer: remote.issuer,
      scope: "mcp:basic",
      pendingUntil: null,
      failure: null,
    });
  });

  test("is asked for exactly what it is, with a proof that only we have", async () => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote);
    const { url } = await up.upstream.beginSignIn("remote", { redirectUri: CALLBACK });
    const asked = Object.fromEntries(new URL(url!).searchParams);
    expect(asked).toMatchObject({
      resource: remote.url,
      scope: "mcp:basic",
      code_challenge_method: "S256",
      redirect_uri: CALLBACK,
    });
    expect(asked.state).toHaveLength(43);
  });

  test("says nothing secret to anybody, whatever happens", async () => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote);
    await signIn(up, remote);
    remote.expireTokens();
    await up.call("mcp_remote_hello");
    remote.revokeRefreshTokens();
    remote.expireTokens();
    const refused = await up.call("mcp_remote_hello");
    expect(refused).toEqual({
      kind: "unavailable",
      message: "mcp server remote is unavailable: authentication failed",
    });
    expect(up.upstream.server("remote").lastError).toContain("signing in cannot be renewed");
    expect(await everythingSaid(up)).not.toContain("canary");
    for (const secret of remote.secrets) expect(up.vault.redact(`<${secret}>`)).toBe("<[redacted]>");
  });
});

describe("a server that nobody has to sign in to", () => {
  test("says so when somebody tries", async () => {
    await using remote = await remoteServer((request, response) => {
      if (request.url === "/mcp") mcpOverHttp("stateless")(request, response);
      else response.writeHead(404).end();
    });
    await using up = await testUpstream();
    await up.upstream.add("web", { url: remote.url });
    await up.upstream.settled();
    expect(up.upstream.server("web").state).toBe("ready");
    await expect(up.upstream.beginSignIn("web", { redirectUri: CALLBACK })).rejects.toThrow(
      /^web does not ask for a sign-in$/,
    );
  });

  test("is told from one that wants a token and publishes nothing", async () => {
    await using remote = await remoteServer((request, response) => {
      response.writeHead(request.url === "/mcp" ? 401 : 404).end();
    });
    await using up = await testUpstream();
    await up.upstream.add("web", { url: remote.url });
    await up.upstream.settled();
    await expect(up.upstream.beginSignIn("web", { redirectUri: CALLBACK })).rejects.toThrow(
      "does not let Toolkeep register itself",
    );
  });
});

describe("what people are told of a sign-in", () => {
  test("holds no secret, whoever says it, and is of bounded length", async () => {
    await using up = await testUpstream();
    up.vault.conceal("canary-known-secret");
    const notices = new SignInNotices({
      ...up,
      events: new Events(() => {}),
      clock: systemClock,
      log: silentLog,
    });
    const config = completeServerConfig("docs", { url: "https://docs.example/mcp" }, "stored");
    const target = { id: "srv_1", name: "docs", config, isPersonNamed: true };
    await notices.raise(target, `it wants canary-known-secret\n${"x".repeat(5_000)}`);
    const [{ title, body } = { title: "", body: "" }] = await up.store.notifications.list();
    expect(title).toBe("MCP server docs needs you to sign in");
    expect(body).toMatch(/^it wants \[redacted\] x+…\. Run: toolkeep server auth docs$/);
    expect(body!.length).toBeLessThan(400);
  });

  test("hides a secret in what an authorization server says it granted", async () => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote);
    await signIn(up, remote);
    up.vault.conceal("mcp:basic");
    expect((await up.upstream.signInStatus("remote")).scope).toBe("[redacted]");
  });
});

describe("what signing in leaves behind", () => {
  test("is there after a restart, without the access token", async () => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote);
    await signIn(up, remote);
    const row = await up.store.servers.byName("remote");
    const kept = up.vault.unseal(row!.auth!, `server-auth:${row!.id}`);
    expect(kept).toContain("canary-refresh");
    expect(kept).not.toContain("canary-access");

    await up.restart();
    expect(said(await up.call("mcp_remote_hello"))).toBe("hello was called");
    expect(remote.tokenRequests.map(({ grant_type }) => grant_type)).toEqual([
      "authorization_code",
      "refresh_token",
    ]);
  });

  test("does not go to another address", async () => {
    await using remote = await oauthServers();
    await using other = await oauthServers();
    await using up = await upstreamWith(remote);
    await signIn(up, remote);
    await up.upstream.update("remote", { url: other.url });
    await up.upstream.settled();
    expect(up.upstream.server("remote").state).toBe("needs_auth");
    expect(other.mcpRequests.map(({ token }) => token).filter((token) => token !== undefined)).toEqual([]);
  });

  test("does not go to another address that a settings file gives the server either", async () => {
    await using remote = await oauthServers();
    await using other = await oauthServers();
    await using up = await testUpstream();
    const declared = (url: string) =>
      settingsWith(up.settings, [completeServerConfig("remote", { url }, "user")]);
    await up.upstream.apply(declared(remote.url));
    await up.upstream.settled();
    await signIn(up, remote);
    await up.upstream.apply(declared(other.url));
    await up.upstream.settled();
    expect(up.upstream.server("remote").state).toBe("needs_auth");
    expect(await up.upstream.signInStatus("remote")).toMatchObject({ signedIn: false, issuer: null });
    expect(other.mcpRequests.every(({ token }) => token === undefined)).toBe(true);
    expect(remote.tokenRequests).toHaveLength(1);
  });

  test("is forgotten and revoked by signing out", async () => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote);
    await signIn(up, remote);
    await up.upstream.signOut("remote");
    const row = await up.store.servers.byName("remote");
    const kept = JSON.parse(up.vault.unseal(row!.auth!, `server-auth:${row!.id}`));
    expect(Object.keys(kept)).toEqual(["url", "challenge"]);
    expect(remote.revoked.map((token) => token.replace(/-[^-]+-[^-]+-[^-]+-[^-]+-[^-]+$/, ""))).toEqual([
      "canary-refresh",
      "canary-access",
    ]);
    expect(await up.upstream.signInStatus("remote")).toMatchObject({ signedIn: false, signedInAt: null });
    const before = remote.mcpRequests.length;
    await up.upstream.test("remote");
    expect(remote.mcpRequests.slice(before).every(({ token }) => token === undefined)).toBe(true);
  });
});

describe("the answer that a browser brings", () => {
  test("counts although the daemon was restarted meanwhile", async () => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote);
    const back = await visitLink(up, remote);
    await up.restart();
    await up.upstream.completeSignIn(back.searchParams);
    await up.upstream.settled();
    expect(up.upstream.server("remote").state).toBe("ready");
  });

  test("counts once", async () => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote);
    const back = await visitLink(up, remote);
    const answers = [back, back].map(({ searchParams }) => up.upstream.completeSignIn(searchParams));
    const ends = await Promise.allSettled(answers);
    expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expect(up.upstream.completeSignIn(back.searchParams)).rejects.toThrow("used already");
    expect(remote.tokenRequests).toHaveLength(1);
  });

  test("counts for ten minutes", async () => {
    let passed = 0;
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote, {}, { clock: () => Date.now() + passed });
    const back = await visitLink(up, remote);
    passed = 10 * 60_000 + 1;
    await expect(up.upstream.completeSignIn(back.searchParams)).rejects.toThrow("older than ten minutes");
    expect(remote.tokenRequests).toEqual([]);
  });

  test("counts only for the last link", async () => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote);
    const first = await visitLink(up, remote);
    const second = await visitLink(up, remote);
    await expect(up.upstream.completeSignIn(first.searchParams)).rejects.toThrow("does not belong");
    await up.upstream.completeSignIn(second.searchParams);
  });

  test.each([
    ["nothing", ""],
    ["a state of somebody else", "state=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA&code=x"],
    ["a state without end", `state=${"a".repeat(10_000)}&code=x`],
  ])("is refused with %s", async (_, query) => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote);
    await visitLink(up, remote);
    await expect(up.upstream.completeSignIn(new URLSearchParams(query))).rejects.toThrow("does not belong");
  });

  test.each([
    ["of another authorization server", { iss: "wrong" }],
    ["without a sender where one was promised", { iss: "missing" }],
    ["with a sender that was not announced and is wrong", { iss: "wrong", advertisesIss: false }],
  ] as const)("is not redeemed when it is %s", async (_, behaviour) => {
    await using remote = await oauthServers(behaviour);
    await using up = await upstreamWith(remote);
    const back = await visitLink(up, remote);
    await expect(up.upstream.completeSignIn(back.searchParams)).rejects.toThrow(
      "did not come from the authorization server that was asked",
    );
    expect(remote.tokenRequests).toEqual([]);
    expect(await everythingSaid(up)).not.toContain("evil.example.com");
  });

  test("that says no for another authorization server is not told on", async () => {
    await using remote = await oauthServers({ denies: true, iss: "wrong" });
    await using up = await upstreamWith(remote);
    const back = await visitLink(up, remote);
    const refused = up.upstream.completeSignIn(back.searchParams);
    await expect(refused).rejects.toThrow("did not come from the authorization server that was asked");
    await expect(refused).rejects.not.toThrow("access_denied");
  });

  test("that says no is told as it is, and the next link works", async () => {
    await using remote = await oauthServers({ denies: true });
    await using up = await upstreamWith(remote);
    const back = await visitLink(up, remote);
    await expect(up.upstream.completeSignIn(back.searchParams)).rejects.toMatchObject({
      code: "FORBIDDEN",
      message: expect.stringContaining("access_denied"),
      remedy: "Try again: toolkeep server auth remote",
    });
    expect(await up.upstream.signInStatus("remote")).toMatchObject({
      signedIn: false,
      pendingUntil: null,
      failure: expect.stringContaining("access_denied"),
    });
    remote.behaviour.denies = false;
    await signIn(up, remote);
    expect(up.upstream.server("remote").state).toBe("ready");
  });

  test("whose code is refused leaves nobody signed in", async () => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote);
    const back = await visitLink(up, remote);
    back.searchParams.set("code", "canary-code-of-somebody-else");
    await expect(up.upstream.completeSignIn(back.searchParams)).rejects.toThrow("invalid_grant");
    expect(await up.upstream.signInStatus("remote")).toMatchObject({ signedIn: false });
    expect(await everythingSaid(up)).not.toContain("canary");
  });
});

describe("Toolkeep introduces itself", () => {
  test("by registering, once for each address that people come back to", async () => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote);
    await signIn(up, remote);
    await signIn(up, remote);
    expect(remote.registrations).toMatchObject([
      {
        client_name: "Toolkeep",
        redirect_uris: [CALLBACK],
        application_type: "native",
        grant_types: ["authorization_code", "refresh_token"],
        token_endpoint_auth_method: "none",
      },
    ]);
    await up.upstream.beginSignIn("remote", { redirectUri: "https://tools.example.com/oauth/callback" });
    expect(remote.registrations).toHaveLength(2);
  });

  test.each(["client_secret_basic", "client_secret_post"])(
    "with the secret it was given, by %s",
    async (method) => {
      await using remote = await oauthServers({ authMethods: [method] });
      await using up = await upstreamWith(remote);
      await signIn(up, remote);
      remote.expireTokens();
      expect(said(await up.call("mcp_remote_hello"))).toBe("hello was called");
      const [first] = remote.tokenRequests;
      expect(first!.client_secret !== undefined).toBe(method === "client_secret_post");
      expect(await everythingSaid(up)).not.toContain("canary");
    },
  );

  test("as the client of the configuration, where it names one", async () => {
    await using remote = await oauthServers({ clients: { ours: "canary-our-secret" } });
    const oauth = { clientId: "ours", clientSecret: "canary-our-secret" };
    await using up = await upstreamWith(remote, { oauth });
    await signIn(up, remote);
    expect(up.upstream.server("remote").state).toBe("ready");
    expect(remote.registrations).toEqual([]);
  });

  test("with a document that describes it, where that is understood", async () => {
    const clientMetadataUrl = "https://tools.example.com/client.json";
    await using remote = await oauthServers({ clientDocuments: true });
    await using up = await upstreamWith(remote, { oauth: { clientMetadataUrl } });
    const { url } = await up.upstream.beginSignIn("remote", { redirectUri: CALLBACK });
    expect(new URL(url!).searchParams.get("client_id")).toBe(clientMetadataUrl);
    await up.upstream.completeSignIn((await remote.visit(url!)).searchParams);
    expect(remote.registrations).toEqual([]);
  });

  test("by registering where no document is understood", async () => {
    await using remote = await oauthServers({ clientDocuments: false });
    await using up = await upstreamWith(remote, {
      oauth: { clientMetadataUrl: "https://tools.example.com/client.json" },
    });
    await signIn(up, remote);
    expect(remote.registrations).toHaveLength(1);
  });

  test("not at all where it would have to be known beforehand: people are told what to do", async () => {
    await using remote = await oauthServers({ registration: false });
    await using up = await upstreamWith(remote);
    await expect(up.upstream.beginSignIn("remote", { redirectUri: CALLBACK })).rejects.toThrow(
      "oauth.client_id",
    );
  });

  test("with a secret to one authorization server and no other", async () => {
    await using remote = await oauthServers({ clients: { ours: "canary-our-secret" } });
    await using evil = await oauthServers();
    const oauth = { clientId: "ours", clientSecret: "canary-our-secret" };
    await using up = await upstreamWith(remote, { oauth });
    await signIn(up, remote);
    remote.behaviour.authorizationServer = evil.issuer;
    await expect(up.upstream.beginSignIn("remote", { redirectUri: CALLBACK })).rejects.toThrow(
      "the client secret was used with",
    );
    await up.upstream.signOut("remote");
    await up.upstream.beginSignIn("remote", { redirectUri: CALLBACK });
  });
});

describe("signing in is refused", () => {
  test("where the documents speak of another server", async () => {
    await using remote = await oauthServers({ resource: "https://evil.example.com/mcp" });
    await using up = await upstreamWith(remote);
    await expect(up.upstream.beginSignIn("remote", { redirectUri: CALLBACK })).rejects.toThrow(
      "does not match expected",
    );
    expect(remote.registrations).toEqual([]);
  });

  test.each([
    ["a program on this machine", { command: "true" }, "a program on this machine"],
    [
      "a server with a fixed Authorization header",
      { headers: { authorization: "Bearer x" } },
      "remove the header",
    ],
  ])("for %s", async (_, input, why) => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote, "command" in input ? { ...input, url: null } : input);
    await expect(up.upstream.beginSignIn("remote", { redirectUri: CALLBACK })).rejects.toThrow(why);
  });

  test("for addresses in a private network that no person named", async () => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote);
    remote.behaviour.authorizationServer = "http://127.0.0.2:8080";
    await expect(up.upstream.beginSignIn("remote", { redirectUri: CALLBACK })).rejects.toThrow(
      "net.allow_hosts",
    );
  });
});

test("what renews a token is asked for where it has to be", async () => {
  await using remote = await oauthServers({ offlineAccess: true });
  await using up = await upstreamWith(remote);
  const { url } = await up.upstream.beginSignIn("remote", { redirectUri: CALLBACK });
  expect(new URL(url!).searchParams.get("scope")).toBe("mcp:basic offline_access");
});

test("scopes are those of the configuration, else of the refusal, else all that are published", async () => {
  const scopeOf = async (behaviour: Parameters<typeof oauthServers>[0], scope?: string) => {
    await using remote = await oauthServers(behaviour);
    await using up = await upstreamWith(remote, scope === undefined ? {} : { oauth: { scope } });
    const { url } = await up.upstream.beginSignIn("remote", { redirectUri: CALLBACK });
    return new URL(url!).searchParams.get("scope");
  };
  const scopesSupported = ["all", "of", "them"];
  expect(await scopeOf({ scopesSupported, scopeFor: { "*": "wanted" } })).toBe("wanted");
  expect(await scopeOf({ scopesSupported, scopeFor: {} })).toBe("all of them");
  expect(await scopeOf({ scopeFor: {} })).toBeNull();
  expect(await scopeOf({ scopesSupported, scopeFor: {} }, "mine")).toBe("mine");
});
