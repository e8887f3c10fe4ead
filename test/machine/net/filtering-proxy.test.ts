import { request as httpRequest } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { type FilteringProxyOptions, openFilteringProxy } from "../../../src/machine/net/filtering-proxy.ts";
import { INSIDE } from "../../support/inside.ts";
import { remoteServer } from "../../support/remote-server.ts";
import { waitUntil } from "../../support/wait-until.ts";

const LOOPBACK = { address: "127.0.0.1", family: 4 };

async function openProxy(trusted: readonly string[], options: Partial<FilteringProxyOptions> = {}) {
  const proxy = await openFilteringProxy({
    trustedHosts: () => new Set(trusted),
    resolve: async () => [LOOPBACK],
    interfaces: () => ({}),
    maxBytes: 1_000_000,
    setting: "web.allowed_hosts",
    ...options,
  });
  return { ...proxy, [Symbol.asyncDispose]: () => proxy.close() };
}

/** `GET <address>` as a browser asks its proxy. */
async function get(proxy: string, address: string, headers: Record<string, string> = {}) {
  const [host, port] = proxy.split(":");
  const request = httpRequest({ host, port, path: address, headers, agent: false });
  const response = await new Promise<import("node:http").IncomingMessage>((resolve, reject) =>
    request.once("response", resolve).once("error", reject).end(),
  );
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

/** `CONNECT <target>`: the status, and the socket behind it. */
async function tunnel(proxy: string, target: string): Promise<{ status: number; socket: Socket }> {
  const [host, port] = proxy.split(":");
  const request = httpRequest({ host, port, method: "CONNECT", path: target, agent: false });
  return new Promise((resolve, reject) =>
    request
      .once("connect", (response, socket) =>
        resolve({ status: response.statusCode!, socket: socket as Socket }),
      )
      .once("error", reject)
      .end(),
  );
}

describe("the filtering proxy", () => {
  test.each(INSIDE)("does not reach %s, by a request or by a tunnel", async (host, why) => {
    await using server = await remoteServer((_, response) => response.end("inside"));
    await using proxy = await openProxy([]);
    const { port } = new URL(server.url);
    const answer = await get(proxy.address, `http://${host}:${port}/`);
    expect(answer.status).toBe(403);
    expect(answer.body).toContain(why);
    expect((await tunnel(proxy.address, `${host}:${port}`)).status).toBe(403);
    expect(server.requests).toEqual([]);
    expect(proxy.refusals()).toHaveLength(1);
  });

  test("does not reach a name that leads inside, even by one of its addresses", async () => {
    await using server = await remoteServer((_, response) => response.end("inside"));
    const outside = { address: "8.8.4.4", family: 4 };
    await using proxy = await openProxy([], { resolve: async () => [outside, LOOPBACK] });
    const { port } = new URL(server.url);
    expect((await get(proxy.address, `http://evil.test:${port}/`)).status).toBe(403);
    expect((await tunnel(proxy.address, `evil.test:${port}`)).status).toBe(403);
    expect(server.requests).toEqual([]);
    expect(proxy.refusals()).toEqual([
      {
        host: `evil.test:${port}`,
        reason:
          "evil.test may not be reached: it is 127.0.0.1, a loopback address, and nobody allowed it. If it is meant, a person can add evil.test to web.allowed_hosts.",
      },
    ]);
  });

  test("connects to the address that was checked, however its name changes", async () => {
    await using server = await remoteServer((_, response) => response.end("first"));
    let asked = 0;
    const resolve = async () => (++asked % 2 === 1 ? [LOOPBACK] : [{ address: "127.0.0.2", family: 4 }]);
    await using proxy = await openProxy(["127.0.0.1"], { resolve });
    const { port } = new URL(server.url);
    expect((await get(proxy.address, `http://rebind.test:${port}/`)).body).toBe("first");
    expect((await get(proxy.address, `http://rebind.test:${port}/`)).status).toBe(403);
    const { status, socket } = await tunnel(proxy.address, `rebind.test:${port}`);
    socket.destroy();
    expect(status).toBe(200);
    expect((await tunnel(proxy.address, `rebind.test:${port}`)).status).toBe(403);
    expect(asked).toBe(4);
    expect(server.requests).toHaveLength(1);
  });

  test("passes a request on with its headers, without those of the way to the proxy", async () => {
    await using server = await remoteServer((request, response) =>
      response
        .writeHead(201, { "x-from": "server", "keep-alive": "timeout=1" })
        .end(JSON.stringify(request.headers)),
    );
    await using proxy = await openProxy(["page.test"]);
    const { port } = new URL(server.url);
    const answer = await get(proxy.address, `http://page.test:${port}/a?b`, {
      "x-one": "1",
      "x-hop": "2",
      connection: "x-hop",
      "proxy-authorization": "canary",
    });
    expect(answer.status).toBe(201);
    expect(answer.headers["x-from"]).toBe("server");
    expect(JSON.parse(answer.body)).toEqual({ "x-one": "1", host: `page.test:${port}`, connection: "close" });
    expect(server.requests[0]!.url).toBe("/a?b");
  });

  test("passes bytes both ways through a tunnel", async () => {
    const echo = createServer((socket) => socket.pipe(socket));
    await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
    await using proxy = await openProxy(["page.test"]);
    const { socket } = await tunnel(proxy.address, `page.test:${(echo.address() as AddressInfo).port}`);
    socket.end("hello");
    expect(await text(socket)).toBe("hello");
    await new Promise((resolve) => echo.close(resolve));
  });

  test.each([
    "/",
    "https://page.test/",
    "file:///etc/passwd",
    "http://user:canary@page.test/",
    "ftp://page.test/",
  ])("is no server of its own and passes no %s on", async (address) => {
    await using proxy = await openProxy(["page.test"]);
    expect((await get(proxy.address, address)).status).toBe(400);
  });

  test.each(["page.test", "page.test:x", "user@page.test:443", "/etc:1", ":443"])(
    "opens no tunnel to %s",
    async (target) => {
      await using proxy = await openProxy(["page.test"]);
      expect((await tunnel(proxy.address, target)).status).toBe(400);
    },
  );

  test("asks no port of another protocol, and only those that people named", async () => {
    await using proxy = await openProxy(["page.test"], { ports: () => ({ allowed: [80], setting: "s" }) });
    expect((await tunnel(proxy.address, "page.test:25")).status).toBe(403);
    expect((await tunnel(proxy.address, "page.test:8443")).status).toBe(403);
    expect((await get(proxy.address, "http://page.test:8080/")).body).toContain(
      "If it is meant, a person can add it to s.",
    );
  });

  test("says so where nobody answers", async () => {
    await using proxy = await openProxy(["page.test"]);
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    expect((await get(proxy.address, `http://page.test:${port}/`)).status).toBe(502);
    expect((await tunnel(proxy.address, `page.test:${port}`)).status).toBe(502);
    expect(proxy.refusals()).toEqual([]);
  });

  test("lets no more through than it may", async () => {
    await using server = await remoteServer((_, response) => response.end("x".repeat(50_000)));
    await using proxy = await openProxy(["page.test"], { maxBytes: 10_000 });
    const { port } = new URL(server.url);
    await expect(get(proxy.address, `http://page.test:${port}/`)).rejects.toThrow();
    expect(proxy.isExhausted()).toBe(true);
    expect((await get(proxy.address, `http://page.test:${port}/`)).status).toBe(502);
    expect(server.requests).toHaveLength(1);
  });

  test("ends every connection when it is closed", async () => {
    await using server = await remoteServer(() => {});
    const proxy = await openProxy(["page.test"]);
    const { port } = new URL(server.url);
    const { socket } = await tunnel(proxy.address, `page.test:${port}`);
    const waiting = get(proxy.address, `http://page.test:${port}/`);
    waiting.catch(() => undefined);
    await waitUntil("the request has come", () => server.requests.length === 1);
    await proxy.close();
    await expect(waiting).rejects.toThrow();
    await waitUntil("the tunnel has ended", () => socket.destroyed || socket.readableEnded);
    const [host, closedPort] = proxy.address.split(":");
    const late = connect(Number(closedPort), host);
    await expect(
      new Promise((resolve, reject) => late.once("connect", resolve).once("error", reject)),
    ).rejects.toThrow("ECONNREFUSED");
  });
});
