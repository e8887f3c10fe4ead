import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import Fastify from "fastify";
import type { NewToken } from "../../src/call/identity/contract.ts";
import { ActiveRequests } from "../../src/lib/http/active-requests.ts";
import { QuickRequest } from "../../src/lib/http/quick-request.ts";
import { silentLog } from "../../src/lib/log.ts";
import { createHostCheck, createHostGuard } from "../../src/surfaces/gateway/http/host-guard.ts";
import { mountRpc } from "../../src/surfaces/gateway/rpc.ts";
import {
  type GatewayCounts,
  type GatewayOptions,
  mountGateway,
} from "../../src/surfaces/gateway/serve-mcp.ts";
import { type TestHub, type TestHubSetup, testHub } from "./test-hub.ts";

/** The eras as an SDK client asks for them. */
export const ERAS = { legacy: "legacy", modern: { pin: "2026-07-28" } } as const;
export type Era = keyof typeof ERAS;

export interface TestGateway extends TestHub {
  /** Of `/mcp`; beside it there is `/rpc`. */
  readonly url: string;
  token(agent: string, input?: Partial<NewToken>): Promise<string>;
  /** A connected SDK client with a fresh token of the agent. */
  client(agent: string, era: Era, options?: TestClientOptions): Promise<Client>;
  counts(): GatewayCounts;
  /** Another daemon over the same hub, as a replica or a restart gives: the address of its `/mcp`. */
  again(): Promise<string>;
  /** What the gateway at this address says to an HTTP request. */
  fetch(init: RequestInit & { token?: string }): Promise<Response>;
  /** Stops listening, as a daemon that ends does; the hub stays. */
  stop(): Promise<void>;
}

/** A real hub behind a real, listening gateway on a free port. */
export async function testGateway(
  setup: TestHubSetup & { gateway?: Partial<GatewayOptions>; port?: number } = {},
): Promise<TestGateway> {
  const test = await testHub(setup);
  const first = await listen(test, setup);
  const { url } = first;
  const others: Listening[] = [];
  const clients: Client[] = [];

  const token = async (agent: string, input: Partial<NewToken> = {}) =>
    (await test.hub.identity.createToken({ agent, ...input })).token;
  return {
    ...test,
    url,
    token,
    async client(agent, era, options = {}) {
      const client = testClient(era, options.onToolsChanged, options);
      clients.push(client);
      const authorization = `Bearer ${await token(agent, options.token)}`;
      const requestInit = { headers: { authorization, ...options.headers } };
      const address = new URL(`${url}${options.path ?? ""}`);
      await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));
      return client;
    },
    counts: () => first.counts(),
    async again() {
      const other = await listen(test, setup);
      others.push(other);
      return other.url;
    },
    fetch({ token: bearer, headers, ...init }) {
      const authorization = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
      return fetch(url, {
        method: "POST",
        ...init,
        headers: { ...POST_HEADERS, ...authorization, ...headers },
      });
    },
    stop: () => first.close(),
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.close();
      for (const each of [first, ...others]) await each.close();
      await test[Symbol.asyncDispose]();
    },
  };
}

export interface TestClientOptions extends Pick<ClientOptions, "capabilities"> {
  readonly onToolsChanged?: () => void;
  /** What its token is made with. */
  readonly token?: Partial<NewToken>;
  /** Below `/mcp`: `/server/everything`. */
  readonly path?: string;
  /** Sent with every request, beside or instead of the token. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface Listening {
  readonly url: string;
  counts(): GatewayCounts;
  close(): Promise<void>;
}

async function listen(
  { hub }: TestHub,
  setup: { gateway?: Partial<GatewayOptions>; port?: number },
): Promise<Listening> {
  const app = Fastify({ forceCloseConnections: true, http: { IncomingMessage: QuickRequest } });
  const refuse = createHostGuard(hub.settings);
  app.addHook("onRequest", async (request) => {
    const refused = refuse(request.raw);
    if (refused) throw Object.assign(refused, { statusCode: refused.status });
  });
  const gateway = mountGateway(app, hub, {
    door: { hosts: createHostCheck(hub.settings), requests: new ActiveRequests() },
    log: silentLog,
    version: "0.0.0-test",
    ...setup.gateway,
  });
  mountRpc(app, hub, { log: silentLog, lists: gateway.lists });
  const url = `${await app.listen({ host: "127.0.0.1", port: setup.port ?? 0 })}/mcp`;
  return { url, counts: () => gateway.counts(), close: () => app.close() };
}

/** An SDK client that is not connected yet. */
export function testClient(
  era: Era,
  onToolsChanged?: () => void,
  { capabilities }: Pick<ClientOptions, "capabilities"> = {},
): Client {
  const listChanged = onToolsChanged && {
    tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged },
  };
  return new Client(
    { name: "test", version: "1.0.0" },
    {
      versionNegotiation: { mode: ERAS[era] },
      ...(listChanged && { listChanged }),
      ...(capabilities && { capabilities }),
    },
  );
}

const POST_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

export const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
});
