import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { remoteServer } from "../support/remote-server.ts";
import { legacyHttp } from "../support/servers/legacy-http.ts";
import { oauthServers } from "../support/servers/oauth.ts";
import { signIn, upstreamWith } from "../support/sign-in.ts";
import { stopwatch } from "../support/stopwatch.ts";
import { testUpstream } from "../support/upstream.ts";
import { waitUntil } from "../support/wait-until.ts";

test("a session ends with its connection, and the server is told", async () => {
  await using remote = await oauthServers();
  await using up = await upstreamWith(remote);
  await signIn(up, remote);
  await up.upstream.update("remote", { enabled: false });
  const [farewell] = remote.mcpRequests.slice(-1);
  expect(farewell).toMatchObject({ method: "DELETE", token: expect.stringContaining("canary-access") });
});

test("a farewell renews no token and moves nobody to sign in", async () => {
  await using remote = await oauthServers();
  await using up = await upstreamWith(remote);
  await signIn(up, remote);
  remote.expireTokens();
  await up.upstream.update("remote", { enabled: false });
  expect(remote.mcpRequests.at(-1)!.method).toBe("DELETE");
  expect(remote.tokenRequests).toHaveLength(1);
});

test("a stream for notifications that is refused moves nobody to sign in", async () => {
  await using remote = await oauthServers({ isProtected: false, getStatus: 401 });
  await using up = await upstreamWith(remote);
  await waitUntil("the stream was asked for", () =>
    remote.mcpRequests.some(({ method }) => method === "GET"),
  );
  expect(up.upstream.server("remote").state).toBe("ready");
  await up.upstream.signInStatus("remote");
  expect(await up.store.notifications.list()).toEqual([]);
});

test("a server that does not answer a farewell is not waited for", async () => {
  await using remote = await remoteServer((request, response) => {
    if (request.method === "DELETE") return;
    if (request.method === "GET") return response.writeHead(405).end();
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const { id, method } = JSON.parse(body);
      if (id === undefined) return response.writeHead(202).end();
      const result =
        method === "tools/list"
          ? { tools: [] }
          : {
              protocolVersion: "2025-11-25",
              capabilities: { tools: {} },
              serverInfo: { name: "s", version: "1" },
            };
      const answer =
        method === "server/discover" ? { error: { code: -32601, message: "no such method" } } : { result };
      response
        .writeHead(200, { "content-type": "application/json", "mcp-session-id": "the-session" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });
  });
  await using up = await testUpstream();
  await up.upstream.add("remote", { url: remote.url });
  await up.upstream.settled();
  expect(up.upstream.server("remote").state).toBe("ready");
  const took = stopwatch();
  await up.upstream.update("remote", { enabled: false });
  expect(took()).toBeLessThan(5_000);
  expect(remote.requests.some(({ method }) => method === "DELETE")).toBe(true);
});

test("a session that was lost is noticed when a list is fetched, before a call finds out", async () => {
  const streams: ServerResponse[] = [];
  let sessions = 0;
  const server = legacyHttp([{ name: "echo" }], {
    GET: ({ response }) => {
      sessions++;
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      streams.push(response);
    },
  });
  await using remote = await remoteServer(server);
  await using up = await testUpstream({ backoffMs: [10] });
  await up.upstream.add("docs", { url: remote.url, retry: "never" });
  await waitUntil("its stream is open and its tool known", () => {
    return streams.length === 1 && up.upstream.tools().length === 1;
  });
  expect(await up.call("mcp_docs_echo")).toMatchObject({ kind: "output" });

  server.forgetSessions();
  const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
  streams[0]?.write(`data: ${JSON.stringify(changed)}\n\n`);
  await waitUntil("there is a new session", () => sessions === 2);
  expect(await up.call("mcp_docs_echo")).toMatchObject({ kind: "output" });
});
