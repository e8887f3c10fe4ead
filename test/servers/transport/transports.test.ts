import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mcpOverHttp, mcpOverSse, remoteServer } from "../../support/remote-server.ts";
import { said, testUpstream } from "../../support/upstream.ts";

describe("stdio", () => {
  test("a start folder that does not exist is named, and not the command", async () => {
    await using up = await testUpstream();
    await up.upstream.add("local", { command: "ls", cwd: "/no/such/folder" });
    await up.upstream.settled();
    expect(up.upstream.server("local").lastError).toContain("its folder /no/such/folder does not exist");
  });
});

describe("streamable HTTP", () => {
  test.each([
    ["legacy and modern", "stateless", "modern"],
    ["modern alone", "reject", "modern"],
  ] as const)("a server that speaks %s is listed and called", async (_, legacy, era) => {
    await using remote = await remoteServer(mcpOverHttp(legacy));
    await using up = await testUpstream();
    await up.upstream.add("remote", { url: remote.url, headers: { Authorization: "Bearer canary-header" } });
    await up.upstream.settled();

    expect(said(await up.call("mcp_remote_hello"))).toBe("hello");
    expect(up.upstream.server("remote")).toMatchObject({ era: { era }, headerKeys: ["Authorization"] });
    expect(remote.requests.every(({ headers }) => headers.authorization === "Bearer canary-header")).toBe(
      true,
    );
    expect(up.vault.redact("canary-header")).toBe("[redacted]");
  });

  test("a redirect to another address is refused, and nothing of ours gets there", async () => {
    await using other = await remoteServer(mcpOverHttp("stateless"));
    await using remote = await remoteServer((_, response) =>
      response.writeHead(307, { location: other.url }).end(),
    );
    await using up = await testUpstream();
    await up.upstream.add("remote", { url: remote.url, headers: { "X-Api-Key": "canary-header" } });
    await up.upstream.settled();
    expect(up.upstream.server("remote").lastError).toContain(`it redirects to ${new URL(other.url).origin}`);
    expect(other.requests).toEqual([]);
  });

  test("a redirect within the same address is followed", async () => {
    const serve = mcpOverHttp("stateless");
    await using remote = await remoteServer((request, response) =>
      request.url === "/mcp" ? response.writeHead(308, { location: "/v2" }).end() : serve(request, response),
    );
    await using up = await testUpstream();
    await up.upstream.add("remote", { url: remote.url });
    await up.upstream.settled();
    expect(said(await up.call("mcp_remote_hello"))).toBe("hello");
  });

  test("a refused token reads as failed authentication and nothing else", async () => {
    await using remote = await remoteServer((_, response) =>
      response.writeHead(401).end("token canary-body is bad"),
    );
    await using up = await testUpstream();
    await up.upstream.add("remote", { url: remote.url });
    await up.upstream.settled();
    expect(up.upstream.server("remote").lastError).toMatch(/^authentication failed: nobody has signed in/);
  });

  test("an address where nothing listens says so, and not only that something failed", async () => {
    await using up = await testUpstream();
    const remote = await remoteServer((_, response) => response.end());
    await remote[Symbol.asyncDispose]();
    await up.upstream.add("remote", { url: remote.url });
    await up.upstream.settled();
    expect(up.upstream.server("remote").lastError).toContain("ECONNREFUSED");
  });

  test("a connection that breaks ends in unavailable, and the next one serves again", async () => {
    let broken = false;
    const serve = mcpOverHttp("stateless");
    await using remote = await remoteServer((request, response) =>
      broken ? request.socket.destroy() : serve(request, response),
    );
    await using up = await testUpstream({ backoffMs: [50] });
    await up.upstream.add("remote", { url: remote.url });
    await up.upstream.settled();

    broken = true;
    expect(await up.call("mcp_remote_hello")).toMatchObject({ kind: "unavailable" });
    broken = false;
    await expect.poll(() => up.upstream.server("remote").state, { timeout: 20_000 }).toBe("ready");
    expect(said(await up.call("mcp_remote_hello"))).toBe("hello");
  });
});

test("the event stream of 2024-11-05 is spoken", async () => {
  await using remote = await remoteServer(mcpOverSse());
  await using up = await testUpstream();
  await up.upstream.add("old", { url: remote.url, transport: "sse" });
  await up.upstream.settled();

  expect(said(await up.call("mcp_old_hello"))).toBe("hello");
  expect(up.upstream.server("old").era).toMatchObject({ era: "legacy", version: "2024-11-05" });
});

test("a modern server over stdio is recognised, and reconnected to without being asked again", async () => {
  await using up = await testUpstream();
  const script = join(import.meta.dirname, "../../support/servers/modern.mjs");
  await up.upstream.add("modern", { command: process.execPath, args: [script] });
  await up.upstream.settled();
  const { era } = up.upstream.server("modern");
  expect(era).toMatchObject({ era: "modern", version: "2026-07-28" });

  await up.restart();

  expect(said(await up.call("mcp_modern_hello"))).toBe("hello");
  expect(up.upstream.server("modern").era).toEqual(era);
});
