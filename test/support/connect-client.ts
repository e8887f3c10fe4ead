import {
  type Client,
  type ClientCapabilities,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { type Era, testClient } from "./test-gateway.ts";

/** A real SDK client at `/mcp` of the daemon at `url`, closed with its scope. */
export async function connectClient(
  url: string,
  token: string,
  era: Era = "legacy",
  capabilities: ClientCapabilities = {},
): Promise<{ readonly client: Client } & AsyncDisposable> {
  const client = testClient(era, undefined, { capabilities });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  return { client, [Symbol.asyncDispose]: () => client.close() };
}
