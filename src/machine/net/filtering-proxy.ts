import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex, Readable } from "node:stream";
import { createConnector } from "../../lib/net/connections.ts";
import {
  completeReach,
  FetchRefused,
  findPortRefusal,
  findRefusal,
  portOf,
  type Reach,
  readTrust,
} from "../../lib/net/reach.ts";
import { ALLOW_HOSTS } from "./guarded-fetch.ts";

export interface FilteringProxyOptions extends Reach {
  /** The limit for all incoming data together. Every connection ends when it is reached. */
  readonly maxBytes: number;
  /** The limit from the address lookup to the connection; default 30 s. */
  readonly connectTimeoutMs?: number;
}

/** A host that was not reached, and the reason as a sentence. */
export interface ProxyRefusal {
  readonly host: string;
  readonly reason: string;
}

export interface FilteringProxy {
  /** `127.0.0.1:<port>` */
  readonly address: string;
  /** The first hundred, each host once. */
  refusals(): readonly ProxyRefusal[];
  /** True if more than `maxBytes` arrived. */
  isExhausted(): boolean;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 256;
const MAX_REFUSALS = 100;

/**
 * An HTTP proxy on the loopback for a program that is given addresses by strangers, a browser above all. It resolves
 * names itself, applies the rules of the guarded fetch to every request and every tunnel, and connects to exactly the
 * addresses it has checked.
 */
export async function openFilteringProxy(options: FilteringProxyOptions): Promise<FilteringProxy> {
  const way = new ProxyWay(options);
  const server = createServer({ maxHeaderSize: 65_536 }, (request, response) => {
    void forward(request, response, way);
  });
  server.on("connect", (request, client, head) => void tunnel(request, client, head, way));
  server.on("upgrade", (_request, client: Duplex) => client.destroy());
  server.on("clientError", (_error, client) => client.destroy());
  server.on("connection", (client) => way.follow(client));
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server);
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    refusals: () => way.refusals,
    isExhausted: () => way.isExhausted,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      way.close();
      await closed;
    },
  };
}

/** The outgoing side: checks, counts and ends all connections of one proxy. */
class ProxyWay {
  readonly refusals: ProxyRefusal[] = [];
  readonly #reach: Required<Reach>;
  readonly #maxBytes: number;
  readonly #timeoutMs: number;
  readonly #sockets = new Set<Duplex>();
  #received = 0;
  #isClosed = false;

  constructor(options: FilteringProxyOptions) {
    this.#reach = completeReach(options, ALLOW_HOSTS);
    this.#maxBytes = options.maxBytes;
    this.#timeoutMs = options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS;
  }

  get isExhausted(): boolean {
    return this.#received > this.#maxBytes;
  }

  /** Rejects with `FetchRefused` for what must not be reached, else with what went wrong. */
  async connect(url: URL): Promise<Socket> {
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
    const refusal = findPortRefusal(host, portOf(url), this.#reach.ports());
    if (refusal) throw refusal;
    const { resolve, interfaces, setting, trustedHosts } = this.#reach;
    const trust = readTrust(trustedHosts());
    const open = createConnector({
      resolve,
      refuse: (name, addresses) =>
        this.#isClosed || this.isExhausted
          ? new Error("this proxy was closed")
          : findRefusal(name, addresses, { trust, setting, interfaces }),
      onSocket: (socket) => this.follow(socket),
      timeoutMs: this.#timeoutMs,
      tls: undefined,
    });
    // Always a plain connection: the contents of a tunnel are between its two ends.
    const target = { hostname: host, protocol: "http:", port: String(portOf(url)) };
    return new Promise((settle, reject) =>
      open(target, (error, socket) => (error ? reject(error) : settle(socket as Socket))),
    );
  }

  /** Ends with the proxy. Errors of a connection end that connection. */
  follow(socket: Duplex): void {
    if (this.#isClosed) return void socket.destroy();
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#sockets.delete(socket));
  }

  /** Counts what comes from outside. */
  meter(incoming: Readable): void {
    incoming.on("data", (chunk: Buffer) => {
      this.#received += chunk.length;
      if (this.isExhausted) this.#endAll();
    });
  }

  /** True for a refusal, which is remembered. */
  refused(url: URL, thrown: unknown): thrown is FetchRefused {
    if (!(thrown instanceof FetchRefused)) return false;
    const isKnown = this.refusals.some(({ host }) => host === url.host);
    if (!isKnown && this.refusals.length < MAX_REFUSALS)
      this.refusals.push({ host: url.host, reason: thrown.message });
    return true;
  }

  close(): void {
    this.#isClosed = true;
    this.#endAll();
  }

  #endAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Forwards `GET http://host/path` over its own connection. */
async function forward(request: IncomingMessage, response: ServerResponse, way: ProxyWay): Promise<void> {
  const url = parse(request.url ?? "");
  if (url?.protocol !== "http:" || url.username !== "" || url.password !== "")
    return answer(response, 400, "This is a proxy for http:// addresses.");
  try {
    const socket = await way.connect(url);
    const outgoing = httpRequest({
      method: request.method ?? "GET",
      path: `${url.pathname}${url.search}`,
      headers: { ...endToEnd(request.headers), host: url.host, connection: "close" },
      createConnection: () => socket,
    });
    outgoing.on("error", () => answer(response, 502, `${url.host} broke the connection off.`));
    outgoing.on("upgrade", (_incoming, upgraded: Duplex) => upgraded.destroy());
    outgoing.on("response", (incoming) => passBack(incoming, response, way));
    response.once("close", () => outgoing.destroy());
    request.pipe(outgoing);
  } catch (thrown) {
    if (way.refused(url, thrown)) answer(response, 403, thrown.message);
    else answer(response, 502, `${url.host} could not be reached.`);
  }
}

function passBack(incoming: IncomingMessage, response: ServerResponse, way: ProxyWay): void {
  incoming.once("error", () => response.destroy());
  try {
    response.writeHead(incoming.statusCode ?? 502, endToEnd(incoming.headers));
  } catch {
    incoming.destroy(); // a status or a header that cannot be said again
    answer(response, 502, "The answer was not HTTP.");
    return;
  }
  way.meter(incoming);
  incoming.pipe(response);
}

/** `CONNECT host:port`: bytes pass both ways, and only the other end is checked. */
async function tunnel(request: IncomingMessage, client: Duplex, head: Buffer, way: ProxyWay): Promise<void> {
  const url = /^[^/?#@\\]+:\d{1,5}$/.test(request.url ?? "") ? parse(`https://${request.url}`) : undefined;
  if (url === undefined) return void client.end("HTTP/1.1 400 Bad Request\r\n\r\n");
  try {
    const socket = await way.connect(url);
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) socket.write(head);
    way.meter(socket);
    client.pipe(socket).pipe(client);
    client.once("close", () => socket.destroy());
    socket.once("close", () => client.destroy());
  } catch (thrown) {
    const status = way.refused(url, thrown) ? "403 Forbidden" : "502 Bad Gateway";
    client.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`);
  }
}

/** Drops headers that concern only one connection (RFC 9110, 7.6.1). */
function endToEnd(headers: IncomingMessage["headers"]): IncomingMessage["headers"] {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const dropped = new Set([...HOP_BY_HOP, ...named]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)));
}

const HOP_BY_HOP = [
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
];

function answer(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  response.end(`${message}\n`);
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
}
