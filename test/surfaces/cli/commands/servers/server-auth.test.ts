import { describe, expect, it } from "vitest";
import { checkServers } from "../../../../../src/features/admin/check-servers.ts";
import { openServerTables } from "../../../../../src/servers/tables/server-tables.ts";
import { inDeep } from "../../../../support/length.ts";
import { type OAuthServers, oauthServers } from "../../../../support/servers/oauth.ts";
import { type TestApi, testApi } from "../../../../support/test-api.ts";
import { typed as typedCommand } from "../../../../support/typed.ts";

interface Typing {
  /** What a person does who reads the link. */
  readonly onLink?: (url: string) => Promise<unknown>;
  readonly hasDaemon?: boolean;
  readonly signal?: AbortSignal;
}

/** A command as typed, with a person who follows the link it prints. */
async function typed(api: TestApi, args: readonly string[], typing: Typing = {}) {
  const { onLink, hasDaemon = true, signal } = typing;
  let acting: Promise<unknown> | undefined;
  const seen = (text: string) => {
    const link = /http\S+\/authorize\?\S+/.exec(text)?.[0];
    if (link !== undefined && onLink) acting ??= onLink(link);
  };
  const ended = await typedCommand(api, args, {
    out: seen,
    err: seen,
    ...(hasDaemon ? {} : { env: { TOOLKEEP_HOME: api.home } }),
    ...(signal ? { signal } : {}),
  });
  await acting;
  return ended;
}

async function apiWith(remote: OAuthServers, more: object = {}): Promise<TestApi> {
  const api = await testApi();
  await api.request("POST", "/api/servers", { name: "remote", url: remote.url, wait: true, ...more });
  return api;
}

/** Follows the link to the end, as a browser on the daemon's machine. */
async function follow(api: TestApi, remote: OAuthServers, url: string): Promise<void> {
  const back = await remote.visit(url);
  await api.app.inject({ method: "GET", url: back.pathname + back.search });
}

const AUTH = ["server", "auth", "remote"];

describe("toolkeep server auth", () => {
  it("prints a link and waits until somebody has signed in", async () => {
    await using remote = await oauthServers();
    await using api = await apiWith(remote);
    const { code, out, err } = await typed(api, AUTH, { onLink: (url) => follow(api, remote, url) });
    expect(err).toContain("Open this link in a browser within ten minutes");
    expect(out).toMatch(/\/authorize\?.*\nSigned in to remote; it has 2 tools\.\n$/);
    expect(code).toBe(0);
  });

  inDeep("prints one JSON value for programs", async () => {
    await using remote = await oauthServers();
    await using api = await apiWith(remote);
    const { code, out } = await typed(api, [...AUTH, "--json"], {
      onLink: (url) => follow(api, remote, url),
    });
    expect(JSON.parse(out)).toMatchObject({ server: { state: "ready" }, signIn: { signedIn: true } });
    expect(out).not.toContain("canary");
    expect(code).toBe(0);
  });

  it("only prints the link on request, and ends the sign-in with the address that was pasted", async () => {
    await using remote = await oauthServers();
    await using api = await apiWith(remote);
    const begun = await typed(api, [...AUTH, "--no-wait", "--json"]);
    const { url } = JSON.parse(begun.out);
    const back = await remote.visit(url);
    const { code, out } = await typed(api, [...AUTH, "--paste", back.href]);
    expect(out).toBe("Signed in to remote; it has 2 tools.\n");
    expect(code).toBe(0);
  });

  inDeep("says why it came to nothing", async () => {
    await using remote = await oauthServers({ denies: true });
    await using api = await apiWith(remote);
    const { code, err } = await typed(api, AUTH, { onLink: (url) => follow(api, remote, url) });
    expect(err).toMatch(/access_denied.*\n {2}Try again: toolkeep server auth remote\n$/);
    expect(code).toBe(4);
  });

  inDeep("says why an address that was pasted came to nothing", async () => {
    await using remote = await oauthServers({ denies: true });
    await using api = await apiWith(remote);
    const begun = await typed(api, [...AUTH, "--no-wait"]);
    expect(begun.err).toContain("cannot reach: toolkeep server auth remote --paste ADDRESS\n");
    const back = await remote.visit(begun.out.trim());
    const { code, err } = await typed(api, [...AUTH, "--paste", back.href]);
    expect(err).toMatch(/access_denied.*\n {2}Try again: toolkeep server auth remote\n$/);
    expect(code).toBe(4);
  });

  inDeep("says so when the time is over, although somebody had signed in before", async () => {
    await using remote = await oauthServers();
    await using api = await apiWith(remote);
    await typed(api, AUTH, { onLink: (url) => follow(api, remote, url) });
    const row = await openServerTables(api.hub.store.database).servers.byName("remote");
    const purpose = `server-auth:${row!.id}`;
    const { code, err } = await typed(api, AUTH, {
      onLink: async () => {
        const { auth } = (await openServerTables(api.hub.store.database).servers.byName("remote"))!;
        const record = JSON.parse(api.hub.vault.unseal(auth!, purpose));
        record.pending.expiresAt = Date.now();
        await openServerTables(api.hub.store.database).servers.update(row!.id, {
          auth: api.hub.vault.seal(JSON.stringify(record), purpose),
        });
      },
    });
    expect(err).toContain("nobody signed in within ten minutes");
    expect(code).toBe(4);
  });

  inDeep("tells how to go on where no daemon waits for the browser", async () => {
    await using remote = await oauthServers();
    await using api = await apiWith(remote);
    const { code, out, err } = await typed(api, AUTH, { hasDaemon: false });
    expect(out).toContain("/authorize?");
    expect(err).toContain("toolkeep server auth remote --paste ADDRESS");
    expect(code).toBe(5);
  });

  inDeep("needs no browser where Toolkeep signs in by itself", async () => {
    await using remote = await oauthServers({ clients: { ours: "canary-wrong-at-first" } });
    const oauth = { grant: "client_credentials", clientId: "ours", clientSecret: "canary-secret" };
    await using api = await apiWith(remote, { oauth });
    const failed = await typed(api, AUTH);
    expect(failed).toMatchObject({ code: 2, err: expect.stringContaining("invalid_client") });
    remote.behaviour.clients = { ours: "canary-secret" };
    expect(await typed(api, AUTH)).toMatchObject({ code: 0, out: "Signed in to remote; it has 2 tools.\n" });
  });

  it("sends nobody to a browser whose credentials were refused, but to the settings", async () => {
    await using remote = await oauthServers({ clients: { ours: "canary-right" } });
    await using api = await testApi();
    const credentials = ["--oauth-client-id", "ours", "--oauth-client-secret", "canary-wrong"];
    const grant = ["--oauth-grant", "client_credentials"];
    const { out } = await typed(api, ["server", "add", "cc", "--url", remote.url, ...grant, ...credentials]);
    expect(out).toMatch(
      /^Registered cc, but its credentials were rejected \(.*invalid_client[^;]*\): toolkeep server edit cc --oauth-client-id ID --oauth-client-secret\n$/,
    );
    const [check] = await checkServers(api.hub.upstream.servers(), {});
    expect(check?.detail).toMatch(/^its credentials were rejected \(.*invalid_client/);
    expect(check?.remedy).toContain("toolkeep server edit cc --oauth-");
  });

  inDeep("is named once by a test that fails for want of it", async () => {
    await using remote = await oauthServers();
    await using api = await apiWith(remote);
    const { out } = await typed(api, ["server", "test", "remote"]);
    expect(out.match(/toolkeep server auth remote/g)).toHaveLength(1);
  });

  it("is what a person reads whose call fails for want of it", async () => {
    await using remote = await oauthServers();
    await using api = await apiWith(remote);
    await typed(api, AUTH, { onLink: (url) => follow(api, remote, url) });
    await typed(api, [...AUTH, "--sign-out", "--yes"]);
    await typed(api, ["server", "test", "remote"]);
    const { err } = await typed(api, ["call", "mcp_remote_hello"]);
    expect(err).toMatch(/authentication failed\n {2}Sign in: toolkeep server auth remote\n$/);
  });

  inDeep("signs out", async () => {
    await using remote = await oauthServers();
    await using api = await apiWith(remote);
    await typed(api, AUTH, { onLink: (url) => follow(api, remote, url) });
    const { code, out } = await typed(api, [...AUTH, "--sign-out", "--yes"]);
    expect(out).toContain("Signed out of remote");
    expect(code).toBe(0);
    expect(remote.revoked).toHaveLength(2);
  });

  inDeep("stops waiting when the person does", async () => {
    await using remote = await oauthServers();
    await using api = await apiWith(remote);
    const stop = new AbortController();
    const { code, err } = await typed(api, AUTH, { onLink: async () => stop.abort(), signal: stop.signal });
    expect(err).toContain("cancelled");
    expect(code).toBe(1);
  });
});
