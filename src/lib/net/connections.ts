import type { LookupAddress } from "node:dns";
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectSecure } from "node:tls";
import type { Agent, buildConnector, Response as UndiciResponse } from "undici";
import type { Interfaces } from "./public-address.ts";
import { findRefusal, hostKey, type Resolve, readTrust, type Trust } from "./reach.ts";

/** PEM texts. `ca` replaces the default authorities. */
export interface ClientTls {
  readonly cert?: string;
  readonly key?: string;
  readonly ca?: string;
}

/** One outgoing request, however `fetch` was called. */
export interface Outgoing {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  /** A body that can be sent again, or a stream, which cannot. */
  readonly body: string | Uint8Array | URLSearchParams | Blob | ArrayBuffer | ReadableStream | null;
  readonly signal: AbortSignal | null;
  readonly redirect: NonNullable<RequestInit["redirect"]>;
  /** True if the request may carry a client certificate. */
  readonly isIdentified: boolean;
}

export interface ConnectionsOptions {
  readonly trustedHosts: () => ReadonlySet<string>;
  readonly setting: string;
  readonly tls: (ClientTls & { readonly hosts: ReadonlySet<string> }) | undefined;
  readonly connectTimeoutMs: number;
  readonly silenceMs: number;
  readonly resolve: Resolve;
  readonly interfaces: () => Interfaces;
}

interface Opened {
  readonly host: string;
  readonly addresses: readonly LookupAddress[];
}

const MAX_CONNECTIONS_PER_ORIGIN = 256;

/** Sockets to checked addresses, which are reused for the same origin. */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #tlsHosts: ReadonlySet<string>;
  readonly #sockets = new Map<Socket, Opened>();
  /** One with the client certificate and one without. */
  readonly #agents = new Map<"identified" | "anonymous", Agent>();
  #undici: Promise<typeof import("undici")> | undefined;
  #trust: Trust = readTrust([]);
  #trusted = "";
  #isClosed = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#tlsHosts = new Set([...(options.tls?.hosts ?? [])].map(hostKey));
  }

  /** Returns redirects as answers. Rejects like `fetch`: with the reason of the signal, or a TypeError. */
  async send(request: Outgoing): Promise<UndiciResponse> {
    this.#undici ??= loadUndici();
    const undici = await this.#undici;
    if (this.#isClosed) throw createClosedError();
    this.#readTrust();
    const { url, method, headers, body, signal } = request;
    return undici.fetch(url, {
      method,
      headers: [...headers],
      body,
      signal,
      redirect: "manual",
      dispatcher: this.#agentFor(request, undici.Agent),
      ...(body instanceof ReadableStream && { duplex: "half" }),
    });
  }

  /** Closes every connection, also those in use. Requests and bodies that use them fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy(createClosedError())));
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  /** Closes connections whose host is no longer trusted. */
  #readTrust(): void {
    const hosts = this.#options.trustedHosts();
    const trusted = [...hosts].join("\n");
    if (trusted === this.#trusted) return;
    this.#trusted = trusted;
    this.#trust = readTrust(hosts);
    for (const [socket, { host, addresses }] of this.#sockets) {
      const refusal = this.#refuse(host, addresses);
      if (refusal) socket.destroy(refusal);
    }
  }

  #refuse(host: string, addresses: readonly LookupAddress[]): Error | undefined {
    if (this.#isClosed) return createClosedError();
    const { setting, interfaces } = this.#options;
    return findRefusal(host, addresses, { trust: this.#trust, setting, interfaces });
  }

  #agentFor({ url, isIdentified }: Outgoing, UndiciAgent: typeof Agent): Agent {
    const kind = isIdentified && this.#tlsHosts.has(hostKey(url.hostname)) ? "identified" : "anonymous";
    const { connectTimeoutMs, silenceMs, resolve, tls } = this.#options;
    const agent =
      this.#agents.get(kind) ??
      new UndiciAgent({
        connections: MAX_CONNECTIONS_PER_ORIGIN,
        headersTimeout: silenceMs,
        bodyTimeout: silenceMs,
        connect: createConnector({
          resolve,
          refuse: (host, addresses) => this.#refuse(host, addresses),
          onSocket: (socket, host, addresses) => this.#remember(socket, { host, addresses }),
          timeoutMs: connectTimeoutMs,
          tls: kind === "identified" ? tls : undefined,
        }),
      });
    this.#agents.set(kind, agent);
    return agent;
  }

  #remember(socket: Socket, opened: Opened): void {
    this.#sockets.set(socket, opened);
    socket.once("close", () => this.#sockets.delete(socket));
  }
}

/**
 * Loaded late, because it is large and many daemons never need it. Loaded after the built-in fetch chose its
 * dispatcher, because undici would replace it.
 */
async function loadUndici(): Promise<typeof import("undici")> {
  void new Response();
  return import("undici");
}

function createClosedError(): TypeError {
  return new TypeError("this fetch was closed");
}

export interface ConnectorOptions {
  /** Called once for each connection, which uses only the returned addresses. */
  readonly resolve: Resolve;
  /**
   * Returns why the host must not be connected to. Called without addresses before it is resolved, and again with all
   * of them.
   */
  readonly refuse: (host: string, addresses: readonly LookupAddress[]) => Error | undefined;
  /** Called with every socket before it connects. */
  readonly onSocket: (socket: Socket, host: string, addresses: readonly LookupAddress[]) => void;
  /** The limit from the address lookup to the end of the TLS handshake. */
  readonly timeoutMs: number;
  readonly tls: ClientTls | undefined;
}

type Target = buildConnector.Options;

/** Creates the function by which undici opens a connection. */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  return (target, callback) => {
    let socket: Socket | undefined;
    let isOver = false;
    const end = (error?: Error) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      if (error === undefined) return callback(null, socket!);
      socket?.destroy();
      callback(error, null);
    };
    const timer = setTimeout(
      () => end(createTimeoutError(target.hostname, options.timeoutMs)),
      options.timeoutMs,
    );

    const open = (addresses: readonly LookupAddress[]) => {
      if (isOver) return;
      const refusal = options.refuse(target.hostname, addresses);
      if (refusal) return end(refusal);
      socket = openSocket(target, addresses, options.tls);
      // This listener stays: an error while the socket changes owners would otherwise end the process.
      socket.on("error", end).once("close", () => end(new Error("the connection was closed")));
      socket.once(target.protocol === "https:" ? "secureConnect" : "connect", () => end());
      options.onSocket(socket, target.hostname, addresses);
    };
    resolveAddresses(target.hostname, options).then(open).catch(end);
  };
}

async function resolveAddresses(
  host: string,
  { refuse, resolve }: ConnectorOptions,
): Promise<readonly LookupAddress[]> {
  const refusal = refuse(host, []);
  if (refusal) throw refusal;
  const family = isIP(host);
  return family === 0 ? resolve(host) : [{ address: host, family }];
}

function openSocket(
  { hostname, protocol, port }: Target,
  addresses: readonly LookupAddress[],
  tls: ClientTls | undefined,
): Socket {
  const where = { host: hostname, lookup: createLookup(addresses) };
  const socket =
    protocol === "https:"
      ? connectSecure({
          ...where,
          cert: tls?.cert,
          key: tls?.key,
          ca: tls?.ca,
          port: Number(port || 443),
          // The certificate must be that of the host in the URL, not of the Host header.
          ...(isIP(hostname) === 0 && { servername: hostname.replace(/\.$/, "") }),
          ALPNProtocols: ["http/1.1"],
        })
      : connectPlain({ ...where, port: Number(port || 80) });
  return socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
}

/** Not used if the host is an IP address. */
function createLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return (host, { all }, callback) => {
    const [first] = addresses;
    if (first === undefined) callback(new Error(`${host} has no address`), "");
    else if (all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

function createTimeoutError(host: string, ms: number): Error {
  return Object.assign(new Error(`connecting to ${host} took more than ${ms / 1000} s`), {
    code: "UND_ERR_CONNECT_TIMEOUT", // as undici says it: nothing was sent
  });
}

const KEEP_ALIVE_MS = 60_000;
