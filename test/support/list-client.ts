import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { bypassListValidation } from "../../src/servers/transport/raw-lists.ts";

export type Era = "legacy" | "modern";

export interface ListClient extends AsyncDisposable {
  readonly client: Client;
}

/** The SDK's client on a server of `servers/lists.mjs`; both end with their scope. */
export async function listClient(era: Era, behaviour: string, argument = ""): Promise<ListClient> {
  const script = join(import.meta.dirname, "servers/lists.mjs");
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [script, era, behaviour, argument],
  });
  const mode = era === "modern" ? { pin: "2026-07-28" } : "legacy";
  const client = new Client({ name: "test", version: "0.0.0" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  bypassListValidation(transport);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}
