import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectClient } from "../support/connect-client.ts";
import { FLOOR } from "../support/floor.ts";
import { toolkeepHere, toolkeepHereJson } from "../support/run-command.ts";
import { tempHome } from "../support/temp-home.ts";
import type { Era } from "../support/test-gateway.ts";
import { filesystem } from "../support/test-hub.ts";
import { type Serving, serve } from "../support/toolkeep.ts";

const READ = "mcp_fs_read_text_file";

let home: Awaited<ReturnType<typeof tempHome>>;
let daemon: Serving;
let file: string;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  home = await tempHome();
  const options = { home: home.path };
  const folder = join(home.path, "documents");
  file = join(folder, "note.txt");
  await mkdir(folder);
  await writeFile(file, "remember the milk\n");
  daemon = await serve(options);
  const { command, args } = filesystem(folder);
  await toolkeepHere(options, "server", "add", "fs", "--", command, ...args);
  await toolkeepHere(options, "toolbox", "create", "reading", READ);
  await toolkeepHere(options, "agent", "create", "bare");
  await toolkeepHere(options, "agent", "create", "reader", "--toolbox", "reading");
  for (const agent of ["bare", "reader"]) {
    tokens[agent] = (await toolkeepHereJson(options, "token", "create", "--agent", agent)).token;
  }
}, 120_000);

afterAll(async () => {
  await daemon?.[Symbol.asyncDispose]();
  await home?.[Symbol.asyncDispose]();
});

describe.each<Era>(["legacy", "modern"])("a client of the %s era at a running daemon", (era) => {
  it("sees exactly the core floor without toolboxes", async () => {
    await using connected = await connectClient(daemon.url, tokens.bare!, era);
    expect(await namesOf(connected.client)).toEqual(FLOOR);
  });

  it("sees what its toolbox names too, and calls it", async () => {
    await using connected = await connectClient(daemon.url, tokens.reader!, era);
    expect(await namesOf(connected.client)).toEqual([...FLOOR, READ].sort());
    const result = await connected.client.callTool({ name: READ, arguments: { path: file } });
    expect(result).toMatchObject({ content: [{ type: "text", text: "remember the milk\n" }] });
  });

  it("is told apart what is not granted and what does not exist, with the nearest name", async () => {
    await using connected = await connectClient(daemon.url, tokens.reader!, era);
    const refused = await connected.client.callTool({ name: "mcp_fs_write_file", arguments: { path: file } });
    expect(refused).toMatchObject({ isError: true, _meta: { "toolkeep/outcome": "not_granted" } });
    const misspelt = await connected.client.callTool({ name: "mcp_fs_read_text_flie", arguments: {} });
    expect(misspelt).toMatchObject({ isError: true, _meta: { "toolkeep/outcome": "unknown_tool" } });
    expect(JSON.stringify(misspelt.content)).toContain(READ);
  });

  it.each([
    ["no token", ""],
    ["a wrong token", "tk_sk_wrong"],
  ])("with %s is not let in", async (_, token) => {
    await expect(connectClient(daemon.url, token, era)).rejects.toThrow();
    const headers = token === "" ? {} : { authorization: `Bearer ${token}` };
    expect((await fetch(`${daemon.url}/mcp`, { method: "POST", headers })).status).toBe(401);
  });
});

async function namesOf(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map((tool) => tool.name);
}
