import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import Fastify from "fastify";
import { hostGuard } from "../../src/gateway/host-guard.ts";
import { type GatewayOptions, mountGateway } from "../../src/gateway/mount-gateway.ts";
import type { TokenInput } from "../../src/identity/identity.ts";
import { silentLog } from "../../src/lib/log.ts";
import { type TestHub, type TestHubSetup, testHub } from "./test-hub.ts";

/** The eras as an SDK client asks for them. */
export const ERAS = { legacy: "legacy", modern: { pin: "2026-07-28" } } as const;
export type Era = keyof typeof ERAS;

export interface TestGateway extends TestHub {
  /** Of `/mcp`. */
  readonly url: string;
  token(agent: string, input?: Partial<TokenInput>): Promise<string>;
  /** A connected SDK client with a fresh token of the agent. */
  client(agent: string, era: Era, onToolsChanged?: () => void): Promise<Client>;
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
  const app = Fastify({ forceCloseConnections: true });
  const refuse = hostGuard(test.hub.settings);
  app.addHook("onRequest", async (request) => {
    const refused = refuse(request);
    if (refused) throw Object.assign(refused, { statusCode: refused.status });
  });
  mountGateway(app, test.hub, { log: silentLog, version: "0.0.0-test", ...setup.gateway });
  const url = `${await app.listen({ host: "127.0.0.1", port: setup.port ?? 0 })}/mcp`;
  const clients: Client[] = [];

  const token = async (agent: string, input: Partial<TokenInput> = {}) =>
    (await test.hub.identity.createToken({ agent, ...input })).token;
  return {
    ...test,
    url,
    token,
    async client(agent, era, onToolsChanged) {
      const client = testClient(era, onToolsChanged);
      clients.push(client);
      const authorization = `Bearer ${await token(agent)}`;
      const requestInit = { headers: { authorization } };
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
      return client;
    },
    fetch({ token: bearer, headers, ...init }) {
      const authorization = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
      return fetch(url, {
        method: "POST",
        ...init,
        headers: { ...POST_HEADERS, ...authorization, ...headers },
      });
    },
    stop: async () => void (await app.close()),
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.close();
      await app.close();
      await test[Symbol.asyncDispose]();
    },
  };
}

/** An SDK client that is not connected yet. */
export function testClient(era: Era, onToolsChanged?: () => void): Client {
  const listChanged = onToolsChanged && {
    tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged },
  };
  return new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode: ERAS[era] }, ...(listChanged && { listChanged }) },
  );
}

const POST_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

export const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
});
