import type { ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { beforeAll, describe, expect, test } from "vitest";
import { createAuthority, withoutOpenssl } from "../../machine/net/certificates.ts";
import { mcpOverHttp, mcpOverSse, remoteServer } from "../../support/remote-server.ts";
import { tempHome } from "../../support/temp-home.ts";
import { said, testUpstream } from "../../support/upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";

describe("a server registered for streamable HTTP that only knows the older transport", () => {
  test.each([400, 404, 405])("and answers %i is spoken to as it can", async (status) => {
    const serve = mcpOverSse();
    await using remote = await remoteServer((request, response) =>
      request.method === "POST" && request.url === "/mcp"
        ? response.writeHead(status).end()
        : serve(request, response),
    );
    await using up = await testUpstream();
    await up.upstream.add("old", { url: remote.url });
    await up.upstream.settled();
    expect(up.upstream.server("old")).toMatchObject({ state: "ready", era: { version: "2024-11-05" } });
    expect(said(await up.call("mcp_old_hello"))).toBe("hello");

    const before = remote.requests.length;
    await up.restart();
    expect(said(await up.call("mcp_old_hello"))).toBe("hello");
    const refused = remote.requests
      .slice(before)
      .filter(({ method, url }) => method === "POST" && url === "/mcp");
    expect(refused).toEqual([]);
  });

  test("is asked over HTTP again when it has learned that", async () => {
    const old = mcpOverSse();
    const modern = mcpOverHttp("stateless");
    let isOld = true;
    await using remote = await remoteServer((request, response) => {
      if (!isOld) return modern(request, response);
      if (request.method === "POST" && request.url === "/mcp") return response.writeHead(404).end();
      return old(request, response);
    });
    await using up = await testUpstream();
    await up.upstream.add("old", { url: remote.url });
    await up.upstream.settled();
    isOld = false;
    await up.restart();
    expect(said(await up.call("mcp_old_hello"))).toBe("hello");
    expect(up.upstream.server("old").era).toMatchObject({ era: "modern" });
  });

  test("is not imagined: what speaks neither is told as it answered first", async () => {
    await using remote = await remoteServer((_, response) => response.writeHead(404).end("nothing here"));
    await using up = await testUpstream();
    await up.upstream.add("none", { url: remote.url });
    await up.upstream.settled();
    expect(up.upstream.server("none").lastError).toBe("it answered with HTTP 404");
  });

  test("may want somebody to sign in", async () => {
    await using remote = await remoteServer((request, response) =>
      response.writeHead(request.method === "POST" ? 405 : 401).end(),
    );
    await using up = await testUpstream();
    await up.upstream.add("old", { url: remote.url });
    await up.upstream.settled();
    expect(up.upstream.server("old").state).toBe("needs_auth");
  });
});

test("a server of the older transport that wants somebody to sign in waits for a person", async () => {
  await using remote = await remoteServer((_, response) => response.writeHead(401).end());
  await using up = await testUpstream();
  await up.upstream.add("old", { url: remote.url, transport: "sse" });
  await up.upstream.settled();
  expect(up.upstream.server("old")).toMatchObject({
    state: "needs_auth",
    lastError: expect.stringContaining("toolkeep server auth old"),
  });
});

test("an event stream of the older transport that ends is the end of its connection, and another is made", async () => {
  const serve = mcpOverSse();
  const streams: ServerResponse[] = [];
  await using remote = await remoteServer((request, response) => {
    if (request.method === "GET") streams.push(response);
    serve(request, response);
  });
  await using up = await testUpstream({ backoffMs: [20] });
  await up.upstream.add("old", { url: remote.url, transport: "sse", keepAlive: true });
  await up.upstream.settled();
  streams[0]!.end();
  await waitUntil("another stream is opened", () => streams.length === 2);
  await waitUntil("it is ready", () => up.upstream.server("old").state === "ready");
  expect(said(await up.call("mcp_old_hello"))).toBe("hello");
  const handshakes = up.states.filter(({ state }) => state === "ready");
  expect(handshakes).toHaveLength(2);
});

test("a connection that is cut off while it is made is made again, once", async () => {
  const serve = mcpOverHttp("stateless");
  let cuts = 1;
  await using remote = await remoteServer((request, response) =>
    cuts-- > 0 ? request.socket.resetAndDestroy() : serve(request, response),
  );
  await using up = await testUpstream();
  await up.upstream.add("remote", { url: remote.url });
  await up.upstream.settled();
  expect(up.upstream.server("remote").state).toBe("ready");

  cuts = Number.POSITIVE_INFINITY;
  const before = remote.requests.length;
  expect(await up.upstream.test("remote")).toMatchObject({ ok: false });
  expect(remote.requests.length - before).toBeLessThanOrEqual(3);
});

test("a server that an agent added reaches nothing in this network unless a person allows the host", async () => {
  await using remote = await remoteServer(mcpOverHttp("stateless"));
  await using up = await testUpstream();
  const settings = { ...up.settings, mcp: { ...up.settings.mcp, requireApproval: false } };
  await up.restart({ settings });
  await up.upstream.add("agents", { url: remote.url }, { addedBy: "main" });
  await up.upstream.settled();
  expect(up.upstream.server("agents")).toMatchObject({
    state: "unavailable",
    lastError: expect.stringContaining("net.allow_hosts"),
  });
  expect(remote.requests).toEqual([]);

  await up.restart({ settings: { ...settings, net: { allowHosts: ["127.0.0.1"] } } });
  await up.upstream.settled();
  expect(await up.upstream.test("agents")).toMatchObject({ ok: true });
});

const reason = await withoutOpenssl();
if (reason) console.log(`servers that want a client certificate are not tested: ${reason}`);

describe.skipIf(reason)("a server that wants a client certificate", () => {
  let folder: string;
  let authority: Awaited<ReturnType<typeof createAuthority>>;
  let listener: Awaited<ReturnType<typeof listen>>;

  beforeAll(async () => {
    const home = await tempHome();
    folder = home.path;
    authority = await createAuthority(folder);
    listener = await listen(await authority.issue("server", ["localhost"]), authority.ca);
    await authority.issue("client");
    return async () => {
      listener.close();
      await home[Symbol.asyncDispose]();
    };
  });

  const tls = () => ({
    cert: join(folder, "client.pem"),
    key: join(folder, "client.key"),
    ca: join(folder, "ca.pem"),
  });

  test("is shown the one that is configured", async () => {
    await using up = await testUpstream();
    await up.upstream.add("bank", { url: listener.url, tls: tls() });
    await up.upstream.settled();
    expect(up.upstream.server("bank")).toMatchObject({ state: "ready", lastError: null });
    expect(said(await up.call("mcp_bank_hello"))).toBe("hello");
    expect(new Set(listener.shown)).toEqual(new Set(["client"]));
  });

  test("is not reached without, or with files that cannot be read", async () => {
    await using up = await testUpstream();
    const { ca } = tls();
    await up.upstream.add("bank", { url: listener.url, tls: { cert: null, key: null, ca } });
    await up.upstream.add("lost", { url: listener.url, tls: { ...tls(), key: join(folder, "gone.key") } });
    await up.upstream.settled();
    expect(up.upstream.server("bank").state).toBe("unavailable");
    expect(up.upstream.server("lost").lastError).toContain("gone.key");
  });

  async function listen(server: { cert: string; key: string }, ca: string) {
    const shown: string[] = [];
    const serve = mcpOverHttp("stateless");
    const options = { ...server, ca, requestCert: true, rejectUnauthorized: true };
    const https = createTlsServer(options, (request, response) => {
      shown.push(String((request.socket as TLSSocket).getPeerCertificate().subject?.CN));
      serve(request, response);
    });
    await new Promise<void>((resolve) => https.listen(0, "127.0.0.1", resolve));
    const close = () => {
      https.closeAllConnections();
      https.close();
    };
    return { url: `https://localhost:${(https.address() as AddressInfo).port}/mcp`, shown, close };
  }
});
