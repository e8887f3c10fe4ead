import { describe, expect, test } from "vitest";
import { type OAuthBehaviour, type OAuthServers, oauthServers } from "../support/servers/oauth.ts";
import { stopwatch } from "../support/stopwatch.ts";
import { said } from "../support/upstream.ts";
import { waitUntil } from "../support/wait-until.ts";
import { freshUpstream } from "./fresh-upstream.ts";

const it = freshUpstream({ backoffMs: [100] });
const BOUND_MS = 5_000;
const FAILED = "mcp server remote is unavailable: authentication failed";

test("a token that is refused half-way is renewed once, and the call is answered", async () => {
  await using remote = await signedIn();
  remote.expireTokens();
  expect(said(await it.up.call("mcp_remote_hello"))).toBe("hello was called");
  expect(remote.mcpRequests.filter(({ method }) => method === "tools/call hello")).toHaveLength(2);
  expect(it.up.upstream.server("remote").state).toBe("ready");
  await expectNoSecret(remote);
});

test("calls that are refused together renew the token once", async () => {
  await using remote = await signedIn();
  const before = remote.tokenRequests.length;
  remote.expireTokens();
  const results = await Promise.all(Array.from({ length: 8 }, () => it.up.call("mcp_remote_hello")));
  expect(results.map(said)).toEqual(Array(8).fill("hello was called"));
  expect(remote.tokenRequests.length - before).toBe(1);
});

test("a token that cannot be renewed ends the call at once, and a person can sign in again", async () => {
  await using remote = await signedIn();
  remote.expireTokens();
  remote.revokeRefreshTokens();

  expect(await soon(it.up.call("mcp_remote_hello"))).toEqual({ kind: "unavailable", message: FAILED });
  expect(it.up.upstream.server("remote").state).toBe("needs_auth");
  // The one before had reached the server; this one is not even sent.
  expect(await soon(it.up.call("mcp_remote_hello"))).toEqual({
    kind: "unavailable",
    message: FAILED,
    isUnsent: true,
  });

  await signIn(remote);
  expect(said(await it.up.call("mcp_remote_hello"))).toBe("hello was called");
  await expectNoSecret(remote);
});

describe.each(["down", "garbage", "hangs"] as const)("a token endpoint that is out of order (%s)", (how) => {
  test("when a token must be renewed ends the call with a reason, and is used again once it works", async () => {
    await using remote = await signedIn();
    remote.expireTokens();
    remote.behaviour.tokenEndpoint = how;

    const signal = AbortSignal.timeout(1_500);
    const result = await soon(it.up.call("mcp_remote_hello", {}, { signal }));
    expect(result.kind).toMatch(/unavailable|failed/);
    await expectNoSecret(remote);

    if (how === "hangs") return; // a request under way is waited for, 15 s
    remote.behaviour.tokenEndpoint = "works";
    await waitUntil("it is well again", async () => (await it.up.call("mcp_remote_hello")).kind === "output");
  });

  test("when a server without a person signs in leaves it unavailable, and is tried again", async () => {
    await using remote = await oauthServers({
      tokenEndpoint: how,
      clients: { robot: "canary-robot-secret" },
    });
    const oauth = { ...CREDENTIALS, clientId: "robot", clientSecret: "canary-robot-secret" };
    const took = stopwatch();
    await it.add("remote", { url: remote.url, oauth, connectTimeoutMs: 1_500 });
    expect(took()).toBeLessThan(BOUND_MS);
    expect(it.up.upstream.server("remote").lastError).toEqual(expect.any(String));
    await expectNoSecret(remote);

    if (how === "hangs") return;
    remote.behaviour.tokenEndpoint = "works";
    expect(await it.up.upstream.test("remote")).toMatchObject({ ok: true });
    expect(said(await it.up.call("mcp_remote_hello"))).toBe("hello was called");
  });
});

const CREDENTIALS = {
  grant: "client_credentials" as const,
  privateKey: null,
  privateKeyAlgorithm: null,
  clientMetadataUrl: null,
  scope: null,
};

/** A protected server that a person has signed in to. */
async function signedIn(change: Partial<OAuthBehaviour> = {}): Promise<OAuthServers> {
  const remote = await oauthServers(change);
  await it.add("remote", { url: remote.url });
  expect(it.up.upstream.server("remote").state).toBe("needs_auth");
  await signIn(remote);
  expect(said(await it.up.call("mcp_remote_hello"))).toBe("hello was called");
  remote.mcpRequests.length = 0;
  return remote;
}

async function signIn(remote: OAuthServers): Promise<void> {
  const redirectUri = "http://127.0.0.1:19850/oauth/callback";
  const { url } = await it.up.upstream.beginSignIn("remote", { redirectUri });
  await it.up.upstream.completeSignIn((await remote.visit(url!)).searchParams);
  await it.up.upstream.settled();
}

async function soon<T>(work: Promise<T>): Promise<T> {
  const took = stopwatch();
  const result = await work;
  expect(took()).toBeLessThan(BOUND_MS);
  return result;
}

async function expectNoSecret(remote: OAuthServers): Promise<void> {
  const seen = JSON.stringify([
    it.up.states,
    it.up.warnings,
    it.up.upstream.servers(),
    await it.up.store.dump(),
  ]);
  expect([...remote.secrets].filter((secret) => seen.includes(secret))).toEqual([]);
}
