import { getEventListeners } from "node:events";
import type { IncomingMessage } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { FetchRefused } from "../../../src/lib/net/reach.ts";
import { remoteServer } from "../../support/remote-server.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { openFetch, under } from "./open-fetch.ts";

const LOOPBACK = { address: "127.0.0.1", family: 4 };

describe("a host that nobody named", () => {
  test.each([
    ["127.0.0.1", "a loopback address"],
    ["127.1", "127.0.0.1 may not be reached"],
    ["0x7f.1", "127.0.0.1 may not be reached"],
    ["2130706433", "127.0.0.1 may not be reached"],
    ["0177.0.0.1", "127.0.0.1 may not be reached"],
    ["127.0.0.1.", "127.0.0.1 may not be reached"],
    ["①②⑦.0.0.1", "127.0.0.1 may not be reached"],
    ["0", "0.0.0.0 may not be reached"],
    ["[::1]", "a loopback address"],
    ["[::]", "an address of this machine"],
    ["[::ffff:127.0.0.1]", "a loopback address"],
    ["[::127.0.0.1]", "a reserved address"],
    ["[64:ff9b::7f00:1]", "a loopback address"],
    ["[2002:7f00:1::1]", "6to4"],
    ["169.254.169.254", "where clouds keep credentials"],
    ["localhost", "it is this machine"],
    ["LOCALHOST.", "it is this machine"],
    ["api.localhost", "it is this machine"],
  ])("is refused at %s", async (host, why) => {
    await using server = await remoteServer((_, response) => response.end());
    await using guarded = openFetch(["other.test"]);
    const refused = guarded.fetch(`http://${host}:${new URL(server.url).port}/`);
    await expect(refused).rejects.toThrow(FetchRefused);
    await expect(refused).rejects.toThrow(why);
    await expect(refused).rejects.toThrow(/If it is meant, a person can add \S+ to net\.allow_hosts\.$/);
    expect(server.requests).toEqual([]);
  });

  test("is not even resolved when its name means this machine", async () => {
    let asked = 0;
    await using guarded = openFetch([], { resolve: async () => [{ address: "8.8.4.4", family: ++asked }] });
    await expect(guarded.fetch("http://api.localhost/")).rejects.toThrow("it is this machine");
    expect(asked).toBe(0);
  });

  test("is refused when its name leads inside, and the message has name, address and remedy", async () => {
    await using server = await remoteServer((_, response) => response.end());
    await using guarded = openFetch([]);
    await expect(guarded.fetch(under("evil.test", server.url))).rejects.toThrow(
      "evil.test may not be reached: it is 127.0.0.1, a loopback address, and nobody allowed it. If it is meant, a person can add evil.test to net.allow_hosts.",
    );
    expect(server.requests).toEqual([]);
  });

  test("is refused when only one of its addresses leads inside", async () => {
    await using server = await remoteServer((_, response) => response.end());
    for (const inside of ["10.0.0.1", "::1", "fe80::1%eth0", "no address"]) {
      const found = [LOOPBACK, { address: inside, family: 4 }];
      for (const addresses of [found, found.toReversed()]) {
        await using guarded = openFetch(["127.0.0.1"], { resolve: async () => addresses });
        await expect(guarded.fetch(under("mixed.test", server.url))).rejects.toThrow(`it is ${inside}`);
      }
    }
    expect(server.requests).toEqual([]);
  });

  test("is refused at this machine's own public address", async () => {
    const own = { address: "8.8.4.4", family: "IPv4", cidr: "8.8.4.4/32" } as const;
    await using guarded = openFetch([], {
      resolve: async () => [{ address: "8.8.4.4", family: 4 }],
      interfaces: () => ({ eth0: [{ ...own, netmask: "", mac: "", internal: false }] }),
    });
    await expect(guarded.fetch("http://me.test/")).rejects.toThrow("an address of this machine");
  });

  test("is reached at an address that is allowed", async () => {
    await using server = await remoteServer((_, response) => response.end("here"));
    await using guarded = openFetch(["127.0.0.0/8"]);
    expect(await (await guarded.fetch(under("any.test", server.url))).text()).toBe("here");
  });

  test("is connected to at the address that was checked, however its name changes", async () => {
    await using server = await remoteServer((_, response) => response.setHeader("connection", "close").end());
    let asked = 0;
    await using guarded = openFetch(["127.0.0.1"], {
      resolve: async () => (++asked === 1 ? [LOOPBACK] : [{ address: "127.0.0.2", family: 4 }]),
    });
    expect((await guarded.fetch(under("rebind.test", server.url))).status).toBe(200);
    expect(asked).toBe(1);
    await expect(guarded.fetch(under("rebind.test", server.url))).rejects.toThrow("it is 127.0.0.2");
    expect(asked).toBe(2);
    expect(server.requests).toHaveLength(1);
  });
});

describe("a host that people named", () => {
  test.each([
    ["by its address", "127.0.0.1", "127.0.0.1"],
    ["by its name", "wiki.test", "wiki.test"],
    ["by its name, with a dot", "wiki.test", "wiki.test."],
    ["by its domain", "*.test", "wiki.test"],
    ["as localhost", "localhost", "localhost"],
  ])("%s is reached where it is", async (_, named, host) => {
    await using server = await remoteServer((_, response) => response.end("here"));
    await using guarded = openFetch([named]);
    expect(await (await guarded.fetch(under(host, server.url))).text()).toBe("here");
  });

  test("is reached over connections that are kept, each resolved once", async () => {
    const sockets = new Set<Socket>();
    await using server = await remoteServer((request, response) => {
      sockets.add(request.socket);
      response.end("x");
    });
    let asked = 0;
    await using guarded = openFetch(["wiki.test"], {
      resolve: async () => {
        asked++;
        return [LOOPBACK];
      },
    });
    for (let call = 0; call < 20; call++) await (await guarded.fetch(under("wiki.test", server.url))).text();
    expect(sockets.size).toBeLessThan(5);
    expect(asked).toBe(sockets.size);
  });

  test("is no longer reached once they take it back, not even over a connection that is open", async () => {
    await using server = await remoteServer((request, response) => {
      if (request.url === "/stream") response.write("begun");
      else response.end();
    });
    const trusted = new Set(["wiki.test", "other.test"]);
    await using guarded = openFetch([], { trustedHosts: () => trusted });
    await (await guarded.fetch(under("wiki.test", server.url))).text();
    const stream = await guarded.fetch(new URL("/stream", under("wiki.test", server.url)));
    const other = await guarded.fetch(new URL("/stream", under("other.test", server.url)));

    trusted.delete("wiki.test");

    await expect(guarded.fetch(under("wiki.test", server.url))).rejects.toThrow(
      "wiki.test may not be reached",
    );
    await expect(stream.text()).rejects.toThrow();
    expect(server.requests).toHaveLength(3);
    await expect(other.body!.getReader().read()).resolves.toMatchObject({ done: false });
  });
});

test.each([
  ["ftp://example.com/", "a ftp: URL is not fetched"],
  ["file:///etc/passwd", "a file: URL is not fetched"],
  ["data:text/plain,hello", "a data: URL is not fetched"],
  ["http://user:canary@example.com/", "the URL of example.com holds a user name or password"],
  ["not a URL", "Invalid URL"],
])("%s is not fetched", async (url, why) => {
  await using guarded = openFetch(["example.com"]);
  const refused = guarded.fetch(url);
  await expect(refused).rejects.toThrow(TypeError);
  await expect(refused).rejects.toThrow(why);
  await expect(refused).rejects.not.toThrow("canary");
});

describe("a request", () => {
  const form = new FormData();
  form.set("field", "value");
  test.each([
    ["text", "hello", "hello", "text/plain;charset=UTF-8"],
    ["bytes", new TextEncoder().encode("hello"), "hello", undefined],
    ["a form", new URLSearchParams({ a: "1" }), "a=1", "application/x-www-form-urlencoded;charset=UTF-8"],
    ["a blob", new Blob(["hello"], { type: "text/x" }), "hello", "text/x"],
    ["a multipart form", form, expect.stringContaining('name="field"\r\n\r\nvalue'), /^multipart\/form-data/],
  ])("carries %s", async (_, body, received, type) => {
    const bodies: string[] = [];
    await using server = await remoteServer(async (request, response) => {
      bodies.push(await text(request));
      response.end();
    });
    await using guarded = openFetch(["127.0.0.1"]);
    await guarded.fetch(server.url, { method: "POST", body });
    expect(bodies).toEqual([received]);
    const { headers } = server.requests[0]!;
    expect(headers["content-type"]).toEqual(type instanceof RegExp ? expect.stringMatching(type) : type);
    expect(headers["content-length"]).toEqual(expect.any(String));
  });

  test("may be a Request, whose parts the second argument replaces", async () => {
    const seen: [IncomingMessage, string][] = [];
    await using server = await remoteServer(async (request, response) => {
      seen.push([request, await text(request)]);
      response.end();
    });
    await using guarded = openFetch(["127.0.0.1"]);
    const request = new Request(server.url, { method: "PUT", body: "one", headers: { a: "1" } });
    await guarded.fetch(request.clone());
    await guarded.fetch(request, { method: "POST", headers: { b: "2" }, body: "two" });
    expect(seen.map(([{ method, headers }, body]) => [method, headers.a, headers.b, body])).toEqual([
      ["PUT", "1", undefined, "one"],
      ["POST", undefined, "2", "two"],
    ]);
  });

  test("goes past the proxies of the environment", async () => {
    await using proxy = await remoteServer((_, response) => response.end("proxy"));
    await using server = await remoteServer((_, response) => response.end("server"));
    for (const name of ["HTTP_PROXY", "http_proxy", "ALL_PROXY"]) {
      const before = process.env[name];
      process.env[name] = proxy.url;
      onTestFinished(() => {
        if (before === undefined) delete process.env[name];
        else process.env[name] = before;
      });
    }
    await using guarded = openFetch(["127.0.0.1"]);
    expect(await (await guarded.fetch(server.url)).text()).toBe("server");
    expect(proxy.requests).toEqual([]);
  });
});

describe("an answer", () => {
  test("is a Response of the platform, with its URL, status and headers", async () => {
    await using server = await remoteServer((_, response) =>
      response.writeHead(201, "Made", { "set-cookie": ["a=1", "b=2"], "x-one": "1" }).end("{}"),
    );
    await using guarded = openFetch(["127.0.0.1"]);
    const response = await guarded.fetch(`${server.url}#fragment`);
    expect(response).toBeInstanceOf(Response);
    const { url, redirected, status, statusText, headers, ok } = response;
    expect({ url, redirected, status, statusText, ok }).toEqual({
      url: server.url,
      redirected: false,
      status: 201,
      statusText: "Made",
      ok: true,
    });
    expect(headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(headers.get("x-one")).toBe("1");
    expect(await response.clone().json()).toEqual({});
  });

  test.each([204, 205, 304])("of status %i has no body", async (status) => {
    await using server = await remoteServer((_, response) => response.writeHead(status).end());
    await using guarded = openFetch(["127.0.0.1"]);
    const response = await guarded.fetch(server.url);
    expect([response.status, response.body, await response.text()]).toEqual([status, null, ""]);
  });

  test.each([
    ["a status that is none", "HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n"],
    ["what is not HTTP", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["a head without end", `HTTP/1.1 200 OK\r\nx: ${"x".repeat(100_000)}`],
    ["nothing", ""],
  ])("that is %s is a TypeError with the host", async (_, bytes) => {
    await using server = await tcpServer((socket) => socket.end(bytes));
    await using guarded = openFetch(["127.0.0.1"]);
    const failed = guarded.fetch(`http://127.0.0.1:${server.port}/`);
    await expect(failed).rejects.toThrow(TypeError);
    await expect(failed).rejects.toThrow(`127.0.0.1:${server.port}`);
  });

  test("with an odd status text is taken all the same", async () => {
    await using server = await tcpServer((socket) =>
      socket.end("HTTP/1.1 200 Gr\u00fcn \u2713\r\n\r\nhello"),
    );
    await using guarded = openFetch(["127.0.0.1"]);
    expect(await (await guarded.fetch(`http://127.0.0.1:${server.port}/`)).text()).toBe("hello");
  });

  test("is bounded by what it grows to, not by what was sent", async () => {
    await using server = await remoteServer((_, response) =>
      response.setHeader("content-encoding", "gzip").end(gzipSync(Buffer.alloc(20_000_000))),
    );
    await using guarded = openFetch(["127.0.0.1"]);
    const response = await guarded.fetch(server.url);
    await expect(response.arrayBuffer()).rejects.toThrow("more than 1000000 bytes");
  });

  test("that does not come is given up", async () => {
    await using server = await remoteServer((request, response) => {
      if (request.url === "/half") response.write("half");
    });
    await using guarded = openFetch(["127.0.0.1"], { silenceMs: 100 });
    await expect(guarded.fetch(server.url)).rejects.toMatchObject({
      cause: { message: "Headers Timeout Error" },
    });
    const half = await guarded.fetch(new URL("/half", server.url));
    await expect(half.text()).rejects.toThrow("terminated");
  });
});

describe("a connection", () => {
  test("that is refused is a TypeError with host and reason", async () => {
    const server = await remoteServer(() => {});
    await server[Symbol.asyncDispose]();
    await using guarded = openFetch(["127.0.0.1"]);
    const failed = guarded.fetch(server.url);
    await expect(failed).rejects.toThrow(TypeError);
    await expect(failed).rejects.toMatchObject({
      message: `the request to ${new URL(server.url).host} failed`,
      cause: { code: "ECONNREFUSED" },
    });
  });

  test.each([
    ["there is no such name", Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" })],
    ["there is no answer", new Error("no answer")],
  ])("cannot be made when %s", async (_, error) => {
    await using guarded = openFetch(["wiki.test"], { resolve: () => Promise.reject(error) });
    await expect(guarded.fetch("http://wiki.test/")).rejects.toMatchObject({ cause: error });
  });

  test("to a name without addresses fails", async () => {
    await using guarded = openFetch(["wiki.test"], { resolve: async () => [] });
    await expect(guarded.fetch("http://wiki.test/")).rejects.toMatchObject({
      cause: { message: "wiki.test has no address" },
    });
  });

  test("tries the next address when the first does not answer", async () => {
    await using server = await remoteServer((_, response) => response.end("here"));
    await using guarded = openFetch(["wiki.test"], {
      resolve: async () => [{ address: "::1", family: 6 }, LOOPBACK],
    });
    expect(await (await guarded.fetch(under("wiki.test", server.url))).text()).toBe("here");
  });

  test.each([
    ["the name is not resolved", "http", () => new Promise<never>(() => {})],
    ["the handshake does not end", "https", undefined],
  ])("is given up when %s", async (_, protocol, resolve) => {
    await using server = await tcpServer(() => {});
    await using guarded = openFetch(["wiki.test"], { connectTimeoutMs: 100, ...(resolve && { resolve }) });
    await expect(guarded.fetch(`${protocol}://wiki.test:${server.port}/`)).rejects.toMatchObject({
      cause: { code: "UND_ERR_CONNECT_TIMEOUT", message: "connecting to wiki.test took more than 0.1 s" },
    });
    await waitUntil("the socket is closed", () => server.open() === 0);
  });
});

describe("an abort", () => {
  test.each([
    ["before it begins", "http", 0],
    ["while it connects", "https", 1],
    ["while it waits for the answer", "http", 1],
  ])("%s ends the request with its reason", async (_, protocol, connections) => {
    await using server = await tcpServer(() => {});
    await using guarded = openFetch(["127.0.0.1"]);
    const controller = new AbortController();
    const reason = new Error("enough");
    if (connections === 0) controller.abort(reason);
    const { signal } = controller;
    const request = guarded.fetch(`${protocol}://127.0.0.1:${server.port}/`, { signal });
    const ended = expect(request).rejects.toBe(reason);
    await waitUntil("it is connected", () => server.accepted() === connections);
    controller.abort(reason);
    await ended;
  });

  test("ends the body, and the connection with it", async () => {
    let socket: Socket | undefined;
    await using server = await remoteServer((request, response) => {
      socket = request.socket;
      response.write("begun");
    });
    await using guarded = openFetch(["127.0.0.1"]);
    const controller = new AbortController();
    const response = await guarded.fetch(server.url, { signal: controller.signal });
    const reader = response.body!.getReader();
    await reader.read();
    controller.abort();
    await expect(reader.read()).rejects.toMatchObject({ name: "AbortError" });
    await waitUntil("the connection is closed", () => socket!.destroyed);
  });

  test("of reading closes the connection", async () => {
    let socket: Socket | undefined;
    await using server = await remoteServer((request, response) => {
      socket = request.socket;
      response.write("begun");
    });
    await using guarded = openFetch(["127.0.0.1"]);
    const response = await guarded.fetch(server.url);
    await response.body!.cancel();
    await waitUntil("the connection is closed", () => socket!.destroyed);
  });
});

test("a signal that outlives its requests keeps nothing of them", async () => {
  await using server = await remoteServer((request, response) => {
    if (request.url === "/endless") response.write("begun");
    else if (request.url === "/moved") response.writeHead(302, { location: "/mcp" }).end();
    else if (request.url === "/cut") response.write("x", () => request.socket.destroy());
    else response.writeHead(request.url === "/nothing" ? 204 : 200).end("x".repeat(100));
  });
  await using guarded = openFetch(["127.0.0.1"], { maxBytes: 150 });
  const { signal } = new AbortController();
  const at = (path: string) => guarded.fetch(new URL(path, server.url), { signal });

  await (await at("/mcp")).text();
  await (await at("/moved")).text();
  await at("/nothing");
  await (await at("/endless")).body!.cancel();
  await expect(at("/cut").then((response) => response.text())).rejects.toThrow();
  await expect(at("http://10.0.0.1/")).rejects.toThrow(FetchRefused);
  const open = await at("/endless");
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  await open.body!.cancel();

  await waitUntil("no listener is left", () => getEventListeners(signal, "abort").length === 0);
});

describe("close", () => {
  test("ends what is idle, under way, connecting and waiting for a name", async () => {
    await using http = await tcpServer((socket) =>
      socket.on("data", (data) => {
        if (data.includes("/idle")) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
        if (data.includes("/body")) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf");
      }),
    );
    const guarded = openFetch(["127.0.0.1", "slow.test"], { resolve: () => new Promise<never>(() => {}) });
    const base = `http://127.0.0.1:${http.port}`;
    await (await guarded.fetch(`${base}/idle`)).text();
    const body = (await guarded.fetch(`${base}/body`)).text();
    const under = ["/head", `${base.replace("http", "https")}/handshake`, "http://slow.test/"].map((url) =>
      guarded.fetch(new URL(url, base)),
    );
    await waitUntil("all are connected", () => http.accepted() >= 3);

    const ends = Promise.allSettled([body, ...under]);
    await guarded.close();

    expect((await ends).map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
    await waitUntil("every socket is closed", () => http.open() === 0);
    await expect(guarded.fetch(base)).rejects.toThrow("this fetch was closed");
    await guarded.close();
  });
});

/** Accepts connections and counts them; `serve` says what happens on them. */
async function tcpServer(serve: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  let accepted = 0;
  const server = createTcpServer((socket) => {
    accepted++;
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    socket.resume();
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    accepted: () => accepted,
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
