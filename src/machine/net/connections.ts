import type { LookupAddress } from "node:dns";
import type { Socket } from "node:net";
import type { Agent, Response as UndiciResponse } from "undici";
import type { ClientTls } from "./client-tls.ts";
import { createConnector, type Resolve } from "./connector.ts";
import type { Outgoing } from "./outgoing.ts";
import type { Interfaces } from "./public-address.ts";
import { refusalOf } from "./refusal.ts";
import { hostKey, type Trust, trustIn } from "./trust.ts";

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

/** Sockets to checked addresses, kept for the next request to the same origin. */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #tlsHosts: ReadonlySet<string>;
  readonly #sockets = new Map<Socket, Opened>();
  /** With the client certificate, and without. */
  readonly #agents = new Map<"identified" | "anonymous", Agent>();
  #undici: Promise<typeof import("undici")> | undefined;
  #trust: Trust = trustIn([]);
  #trusted = "";
  #isClosed = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#tlsHosts = new Set([...(options.tls?.hosts ?? [])].map(hostKey));
  }

  /** Redirects are answers. Rejects as `fetch` does: with the reason of the signal, or a TypeError. */
  async send(request: Outgoing): Promise<UndiciResponse> {
    this.#undici ??= loadUndici();
    const undici = await this.#undici;
    if (this.#isClosed) throw closed();
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

  /** Ends every connection, also those under way; requests and bodies that used them fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy(closed())));
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  /** A connection does not outlive the trust it was made with. */
  #readTrust(): void {
    const hosts = this.#options.trustedHosts();
    const trusted = [...hosts].join("\n");
    if (trusted === this.#trusted) return;
    this.#trusted = trusted;
    this.#trust = trustIn(hosts);
    for (const [socket, { host, addresses }] of this.#sockets) {
      const refusal = this.#refuse(host, addresses);
      if (refusal) socket.destroy(refusal);
    }
  }

  #refuse(host: string, addresses: readonly LookupAddress[]): Error | undefined {
    if (this.#isClosed) return closed();
    const { setting, interfaces } = this.#options;
    return refusalOf(host, addresses, { trust: this.#trust, setting, interfaces });
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
 * Late, because it is large and many a daemon never needs it; and after the built-in fetch has chosen how it
 * connects, because undici would choose for it.
 */
async function loadUndici(): Promise<typeof import("undici")> {
  void new Response();
  return import("undici");
}

function closed(): TypeError {
  return new TypeError("this fetch was closed");
}
