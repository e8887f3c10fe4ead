import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { inDeep, sampleOf } from "../../support/length.ts";
import { type OAuthServers, oauthServers } from "../../support/servers/oauth.ts";
import { CALLBACK, everythingSaid, signIn, upstreamWith } from "../../support/sign-in.ts";
import { stopwatch } from "../../support/stopwatch.ts";
import { said, type TestUpstream, testUpstream } from "../../support/upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";

const MINUTE = 60_000;
const REFUSED = { kind: "unavailable", message: "mcp server remote is unavailable: authentication failed" };

const grantsOf = ({ tokenRequests }: OAuthServers) => tokenRequests.map(({ grant_type }) => grant_type);
const tokensUsed = ({ mcpRequests }: OAuthServers) =>
  mcpRequests.filter(({ method }) => method.startsWith("tools/call")).map(({ token }) => token);

describe("an access token that the server refuses mid-way", () => {
  test("is renewed once for all calls, and each call is sent once more", async () => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote);
    await signIn(up, remote);
    remote.expireTokens();
    const before = remote.mcpRequests.length;
    const results = await Promise.all(Array.from({ length: 8 }, () => up.call("mcp_remote_hello")));
    expect(results.map(said)).toEqual(Array(8).fill("hello was called"));
    expect(grantsOf(remote)).toEqual(["authorization_code", "refresh_token"]);
    expect(remote.mcpRequests.length - before).toBeLessThanOrEqual(16);
  });

  test("stays refused: the call ends, the server waits for a person, and nothing goes round in circles", async () => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote, {}, { backoffMs: [1] });
    await signIn(up, remote);
    remote.behaviour.scopeFor = { "*": "mcp:basic" };
    remote.behaviour.forgetsTokens = true;
    remote.expireTokens();
    expect(await up.call("mcp_remote_hello")).toMatchObject(REFUSED);
    expect(up.upstream.server("remote")).toMatchObject({
      state: "needs_auth",
      lastError: expect.stringContaining("refuses a token that was issued for it just now"),
    });
    const requests = remote.tokenRequests.length;
    // The one before had reached the server; this one is not even sent.
    expect(await up.call("mcp_remote_hello")).toEqual({ ...REFUSED, isUnsent: true });
    expect(remote.tokenRequests).toHaveLength(requests);
  });

  test("and can no longer be renewed brings a person in, who then signs in again", async () => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote);
    await signIn(up, remote);
    remote.expireTokens();
    remote.revokeRefreshTokens();
    expect(await up.call("mcp_remote_hello")).toMatchObject(REFUSED);
    expect(up.upstream.server("remote").state).toBe("needs_auth");
    expect(await up.store.notifications.list()).toHaveLength(1);

    await signIn(up, remote);
    expect(said(await up.call("mcp_remote_hello"))).toBe("hello was called");
    expect(await up.store.notifications.list()).toEqual([]);
  });

  test("and was never meant to be renewed asks for a sign-in", async () => {
    await using remote = await oauthServers({ refresh: "none" });
    await using up = await upstreamWith(remote);
    await signIn(up, remote);
    remote.expireTokens();
    expect(await up.call("mcp_remote_hello")).toMatchObject(REFUSED);
    expect(up.upstream.server("remote").lastError).toContain("the last sign-in has run out");
  });
});

describe("an access token that is about to end", () => {
  test("is renewed beforehand, while calls go on with it", async () => {
    let passed = 0;
    await using remote = await oauthServers({ expiresIn: 3600 });
    await using up = await upstreamWith(remote, {}, { clock: () => Date.now() + passed });
    await signIn(up, remote);
    passed = 58 * MINUTE;
    await up.call("mcp_remote_hello");
    expect(grantsOf(remote)).toEqual(["authorization_code"]);

    passed = 59 * MINUTE + 30_000;
    await up.call("mcp_remote_hello");
    await waitUntil("the token is renewed", () => grantsOf(remote).length === 2);
    await waitUntil("the new token is used", async () => {
      await up.call("mcp_remote_hello");
      return new Set(tokensUsed(remote)).size === 2;
    });
    expect(grantsOf(remote)).toEqual(["authorization_code", "refresh_token"]);
  });

  test("serves on while the token endpoint is down, and is renewed when that is back", async () => {
    let passed = 0;
    await using remote = await oauthServers({ expiresIn: 3600 });
    await using up = await upstreamWith(remote, {}, { clock: () => Date.now() + passed });
    await signIn(up, remote);
    remote.behaviour.tokenEndpoint = "down";
    passed = 59 * MINUTE + 10_000;
    expect(said(await up.call("mcp_remote_hello"))).toBe("hello was called");
    await waitUntil("people can read why", () =>
      up.warnings.some((line) => line.includes("its sign-in could not be renewed")),
    );

    remote.behaviour.tokenEndpoint = "works";
    passed += 15_000;
    expect(said(await up.call("mcp_remote_hello"))).toBe("hello was called");
    await waitUntil("the token is renewed", () => grantsOf(remote).length === 3);
    passed += 60 * MINUTE;
    expect(up.upstream.server("remote").state).toBe("ready");
  });

  test("that has ended is not sent any more", async () => {
    let passed = 0;
    await using remote = await oauthServers({ expiresIn: 3600 });
    await using up = await upstreamWith(remote, {}, { clock: () => Date.now() + passed });
    await signIn(up, remote);
    const [first] = remote.mcpRequests.slice(-1);
    passed = 61 * MINUTE;
    expect(said(await up.call("mcp_remote_hello"))).toBe("hello was called");
    expect(tokensUsed(remote)).not.toContain(first!.token);
  });
});

describe("a token endpoint that fails", () => {
  test.each(["down", "garbage"] as const)(
    "(%s) makes the server unavailable for a while, and nobody has to sign in again",
    async (trouble) => {
      await using remote = await oauthServers();
      await using up = await upstreamWith(remote, {}, { backoffMs: [20] });
      await signIn(up, remote);
      remote.expireTokens();
      remote.behaviour.tokenEndpoint = trouble;
      const result = await up.call("mcp_remote_hello");
      expect(result.kind).toBe("unavailable");
      expect(up.upstream.server("remote").state).not.toBe("needs_auth");
      expect(await up.store.notifications.list()).toEqual([]);

      remote.behaviour.tokenEndpoint = "works";
      await waitUntil("it serves again", async () => (await up.call("mcp_remote_hello")).kind === "output");
      expect(await everythingSaid(up)).not.toContain("canary");
    },
  );

  test("(hangs) does not hold a cancelled call", async () => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote);
    await signIn(up, remote);
    remote.expireTokens();
    remote.behaviour.tokenEndpoint = "hangs";
    const stop = new AbortController();
    const call = up.call("mcp_remote_hello", {}, { signal: stop.signal });
    await waitUntil("the token endpoint is asked", () => grantsOf(remote).length === 2);
    const took = stopwatch();
    stop.abort();
    expect((await call).kind).toBe("failed");
    expect(took()).toBeLessThan(2_000);
  });
});

test("a renewal that ends after somebody has signed in anew changes nothing", async () => {
  let passed = 0;
  await using remote = await oauthServers({ expiresIn: 3600 });
  await using up = await upstreamWith(remote, {}, { clock: () => Date.now() + passed });
  await signIn(up, remote);
  passed = 59 * MINUTE + 30_000;
  const answerRenewal = remote.holdTokens();
  expect(said(await up.call("mcp_remote_hello"))).toBe("hello was called");
  await waitUntil("the renewal is under way", () => grantsOf(remote).length === 2);
  await signIn(up, remote);
  const used = remote.mcpRequests.at(-1)!.token;
  const { signedInAt } = await up.upstream.signInStatus("remote");
  answerRenewal();
  await waitUntil("the renewal was answered", () => remote.held === 0);
  await up.call("mcp_remote_hello");
  expect(tokensUsed(remote).at(-1)).toBe(used);
  await up.restart();
  expect(await up.upstream.signInStatus("remote")).toMatchObject({ signedInAt });
  remote.expireTokens();
  expect(said(await up.call("mcp_remote_hello"))).toBe("hello was called");
});

describe("two daemons on one store", () => {
  test("use the refresh token that the other one got", async () => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote);
    await signIn(up, remote);
    await using other = await testUpstream({ store: up.store, vault: up.vault });
    expect(said(await other.call("mcp_remote_hello"))).toBe("hello was called");

    remote.expireTokens();
    expect(said(await up.call("mcp_remote_hello"))).toBe("hello was called");
    remote.expireTokens();
    expect(said(await other.call("mcp_remote_hello"))).toBe("hello was called");
    expect(remote.tokenRequests.map(({ refresh_token }) => refresh_token).filter(Boolean)).toHaveLength(3);
    expect(other.upstream.server("remote").state).toBe("ready");
  });

  inDeep("that renew at the same moment both get on", async () => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote);
    await signIn(up, remote);
    await using other = await testUpstream({ store: up.store, vault: up.vault });
    await other.call("mcp_remote_hello");
    remote.expireTokens();
    // The first to be answered has stored its new token before the other is told that the old one is void.
    remote.behaviour.refusesSlowly = true;
    const results = await Promise.all([up, other].map((each) => each.call("mcp_remote_hello")));
    expect(results.map(said)).toEqual(["hello was called", "hello was called"]);
  });
});

describe("a call that needs more rights", () => {
  const ADMIN = { "*": "mcp:basic", "tools/call admin": "mcp:admin" };

  test("fails alone, and works after a person has granted them beside what was granted", async () => {
    await using remote = await oauthServers({ scopeFor: ADMIN });
    await using up = await upstreamWith(remote);
    await signIn(up, remote);
    expect(await up.call("mcp_remote_admin")).toMatchObject({
      kind: "failed",
      message: "authentication failed",
    });
    expect(said(await up.call("mcp_remote_hello"))).toBe("hello was called");
    expect(up.upstream.server("remote").state).toBe("ready");
    const [notification] = await up.store.notifications.list();
    expect(notification?.body).toContain("mcp:admin");

    const { url } = await up.upstream.beginSignIn("remote", { redirectUri: CALLBACK });
    expect(new URL(url!).searchParams.get("scope")).toBe("mcp:basic mcp:admin");
    await up.upstream.completeSignIn((await remote.visit(url!)).searchParams);
    await up.upstream.settled();
    expect(said(await up.call("mcp_remote_admin"))).toBe("admin was called");
    expect(await up.store.notifications.list()).toEqual([]);
  });

  test("is not asked for again where it was asked for and not granted", async () => {
    await using remote = await oauthServers({ scopeFor: ADMIN });
    await using up = await upstreamWith(remote);
    await signIn(up, remote);
    await up.call("mcp_remote_admin");
    remote.behaviour.grantsOnly = "mcp:basic";
    await signIn(up, remote);
    expect(await up.call("mcp_remote_admin")).toMatchObject({ kind: "failed" });
    expect(await up.store.notifications.list()).toEqual([]);
    expect(said(await up.call("mcp_remote_hello"))).toBe("hello was called");
  });

  inDeep("keeps what was granted later on, also after the sign-in has run out", async () => {
    await using remote = await oauthServers({ scopeFor: ADMIN });
    await using up = await upstreamWith(remote);
    await signIn(up, remote);
    await up.call("mcp_remote_admin");
    await signIn(up, remote);
    remote.expireTokens();
    remote.revokeRefreshTokens();
    await up.call("mcp_remote_hello");
    const { url } = await up.upstream.beginSignIn("remote", { redirectUri: CALLBACK });
    expect(new URL(url!).searchParams.get("scope")).toBe("mcp:basic mcp:admin");
  });
});

describe("client credentials", () => {
  const SECRET = "canary-client-secret";
  const oauth = { grant: "client_credentials", clientId: "ours", clientSecret: SECRET } as const;

  test.each(["client_secret_basic", "client_secret_post"])("work without a person, by %s", async (method) => {
    await using remote = await oauthServers({ clients: { ours: SECRET }, authMethods: [method] });
    await using up = await upstreamWith(remote, { oauth });
    expect(up.upstream.server("remote").state).toBe("ready");
    remote.expireTokens();
    expect(said(await up.call("mcp_remote_hello"))).toBe("hello was called");
    expect(grantsOf(remote)).toEqual(["client_credentials", "client_credentials"]);
    expect(remote.tokenRequests[0]).toMatchObject({ scope: "mcp:basic", resource: remote.url });
    expect(await everythingSaid(up)).not.toContain("canary");
  });

  test.each(
    sampleOf(
      [
        ["RSA", generateKeyPairSync("rsa", { modulusLength: 2048 })],
        ["P-256", generateKeyPairSync("ec", { namedCurve: "P-256" })],
        ["Ed25519", generateKeyPairSync("ed25519")],
      ],
      1,
    ),
  )("work with a key of the kind %s", async (_, { publicKey, privateKey }) => {
    await using remote = await oauthServers({
      authMethods: ["private_key_jwt"],
      publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
    });
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    await using up = await upstreamWith(remote, {
      oauth: { grant: "client_credentials", clientId: "ours", privateKey: pem },
    });
    expect(up.upstream.server("remote")).toMatchObject({ state: "ready", lastError: null });
  });

  test("that are wrong wait for a person, who is told why, and are not tried again", async () => {
    await using remote = await oauthServers({ clients: { ours: "another" } });
    await using up = await upstreamWith(remote, { oauth }, { backoffMs: [1] });
    expect(up.upstream.server("remote")).toMatchObject({
      state: "needs_auth",
      lastError: expect.stringContaining("invalid_client"),
    });
    expect(await up.store.notifications.list()).toMatchObject([
      { title: "MCP server remote does not let Toolkeep in" },
    ]);
    expect(grantsOf(remote)).toHaveLength(1);

    remote.behaviour.clients = { ours: SECRET };
    expect(await up.upstream.beginSignIn("remote", { redirectUri: CALLBACK })).toEqual({
      url: null,
      expiresAt: null,
    });
    await up.upstream.settled();
    expect(up.upstream.server("remote").state).toBe("ready");
    expect(await up.store.notifications.list()).toEqual([]);
  });

  test("are tried again after a while where the token endpoint is down", async () => {
    await using remote = await oauthServers({ clients: { ours: SECRET }, tokenEndpoint: "down" });
    await using up = await upstreamWith(remote, { oauth }, { backoffMs: [20] });
    expect(up.upstream.server("remote")).toMatchObject({
      state: "unavailable",
      lastError: expect.stringContaining("HTTP 503"),
    });
    remote.behaviour.tokenEndpoint = "works";
    expect(await up.upstream.test("remote")).toMatchObject({ ok: true });
  });

  test("get more rights by themselves, once", async () => {
    const scopeFor = { "*": "mcp:basic", "tools/call admin": "mcp:admin" };
    await using remote = await oauthServers({ clients: { ours: SECRET }, scopeFor });
    await using up = await upstreamWith(remote, { oauth });
    expect(said(await up.call("mcp_remote_admin"))).toBe("admin was called");
    expect(remote.tokenRequests.map(({ scope }) => scope)).toEqual(["mcp:basic", "mcp:basic mcp:admin"]);

    remote.behaviour.scopeFor = { "*": "mcp:basic", "tools/call admin": "mcp:root" };
    remote.behaviour.grantsOnly = "mcp:basic";
    expect(await up.call("mcp_remote_admin")).toMatchObject({ kind: "failed" });
    expect(grantsOf(remote)).toHaveLength(3);
    expect(await up.call("mcp_remote_admin")).toMatchObject({ kind: "failed" });
    expect(grantsOf(remote)).toHaveLength(3);
  });

  test("get more rights once for all calls that need them", async () => {
    const scopeFor = { "*": "mcp:basic", "tools/call admin": "mcp:admin" };
    await using remote = await oauthServers({ clients: { ours: SECRET }, scopeFor });
    await using up = await upstreamWith(remote, { oauth });
    const results = await Promise.all(Array.from({ length: 6 }, () => up.call("mcp_remote_admin")));
    expect(results.map(said)).toEqual(Array(6).fill("admin was called"));
    expect(grantsOf(remote)).toHaveLength(2);
  });

  test("can be tried out before they are registered, and leave nothing behind", async () => {
    await using remote = await oauthServers({ clients: { ours: SECRET } });
    await using up = await testUpstream();
    expect(await up.upstream.testConfig({ url: remote.url, oauth })).toMatchObject({ ok: true });
    expect(await up.store.servers.list()).toEqual([]);
  });
});

describe("a server with headers of its own", () => {
  test("is refused as it is: nothing is looked up, and it is tried again like any other", async () => {
    await using remote = await oauthServers();
    await using up = await upstreamWith(remote, { headers: { Authorization: "Bearer canary-fixed" } });
    expect(up.upstream.server("remote")).toMatchObject({
      state: "unavailable",
      lastError: "authentication failed (HTTP 401)",
    });
    expect(await notificationsOf(up)).toEqual([]);
    expect(remote.mcpRequests.every(({ token }) => token === "canary-fixed")).toBe(true);
  });

  test("sends the token instead of an Authorization header once somebody has signed in", async () => {
    await using remote = await oauthServers();
    const headers = { Authorization: "Bearer canary-fixed", "X-Other": "kept" };
    await using up = await upstreamWith(remote, { headers, oauth: {} });
    await signIn(up, remote);
    expect(remote.mcpRequests.at(-1)!.token).toContain("canary-access");
  });
});

async function notificationsOf({ store }: TestUpstream): Promise<string[]> {
  return (await store.notifications.list()).map(({ title }) => title);
}
