import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { SCOPES, type Scope } from "../../../src/contract/caller.ts";
import { Dice } from "../../support/dice.ts";
import { givenAway, mayHave } from "../../support/forbidden.ts";
import { tempHome } from "../../support/temp-home.ts";
import { type Era, type TestGateway, testClient, testGateway } from "../../support/test-gateway.ts";

const STUB = join(import.meta.dirname, "../../../bench/support/catalogue-server.mjs");
const SERVERS = ["srvalpha", "srvbeta", "srvgamma", "srvdelta", "srvoff", "srvwaiting"];
const OWN_NAMES = ["read_mail", "read_file", "list_issues", "send_mail", "delete_file", "delete_issue"];
const QUERIES = ["mail", "delete a file", "list isues", "?", "read", "天气"];
const AGENTS = 5;

/** A tool of a server, as far as it has to be known who may have it. */
interface Known {
  readonly name: string;
  readonly ownName: string;
  readonly server: string;
  readonly word: string;
}

interface Setting extends TestGateway {
  readonly dice: Dice;
  readonly tools: readonly Known[];
  readonly denied: readonly string[];
  readonly toolboxes: Readonly<Record<string, readonly string[]>>;
}

/** Servers with tools of which each says a word of its own; one server is disabled, one waits for a person, some tools are denied. */
async function setUp(seed: number): Promise<Setting> {
  const dice = new Dice(seed);
  const home = await tempHome();
  const file = join(home.path, "servers.jsonl");
  const tools = SERVERS.flatMap((server) =>
    OWN_NAMES.filter(() => dice.chance(0.8)).map((ownName) => ({
      name: `mcp_${server}_${ownName}`,
      ownName,
      server,
      word: `quux${server}${OWN_NAMES.indexOf(ownName)}zq`,
    })),
  );
  const lines = SERVERS.map((server) =>
    JSON.stringify({
      server,
      version: "1",
      tools: tools
        .filter((tool) => tool.server === server)
        .map(({ ownName, word }) => ({
          name: ownName,
          description: `${ownName.replace("_", " ")}: ${word}`,
          inputSchema: { type: "object", properties: {} },
        })),
    }),
  );
  await writeFile(file, lines.join("\n"));
  const denied = tools
    .filter(() => dice.chance(0.15))
    .map(({ server, ownName }) => `mcp:${server}:${ownName}`);
  const entry = () =>
    dice.weighted<() => string>([
      [4, () => dice.one(tools).name],
      [2, () => `mcp:${dice.one(SERVERS)}:*`],
      [1, () => dice.one(["mcp:*:read*", "mcp:*:delete*", "mcp:srv*", "*"])],
    ])();
  const some = (most: number) => Array.from({ length: dice.below(most) }, entry);
  const toolboxes = { one: some(6), two: some(6), three: some(4) };
  const test = await testGateway({
    toolboxes,
    rules: denied.map((permission) => ({ permission, action: "deny" })),
    settings: { deferred_loading: dice.one(["auto", true]) },
  });
  let offset = 0;
  for (const [at, server] of SERVERS.entries()) {
    const length = Buffer.byteLength(lines[at]!);
    const args = [STUB, file, String(offset), String(length)];
    await test.hub.upstream.add(server, { command: process.execPath, args });
    await test.hub.upstream.test(server);
    offset += length + 1;
  }
  await test.hub.upstream.update("srvoff", { enabled: false });
  await test.hub.upstream.update("srvwaiting", { args: [STUB, file, "0", "0"] }, { by: "somebody" });
  for (let at = 0; at < AGENTS; at++) {
    await test.hub.identity.createAgent(`agent${at}`, {
      toolboxes: Object.keys(toolboxes).filter(() => dice.chance(0.4)),
      grants: some(4),
      ...(at > 0 && dice.chance(0.3) && { parent: "agent0" }),
      pins: tools.filter(() => dice.chance(0.1)).map(({ name }) => name),
    });
  }
  const dispose = async () => {
    await test[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  };
  return { ...test, dice, tools, denied, toolboxes, [Symbol.asyncDispose]: dispose };
}

/** As tools of servers that nobody trusts are. */
function asListed({ name, ownName, server }: Known) {
  const flags = { readOnly: false, concurrencySafe: false, destructive: false };
  const always = { scope: "mcp", availability: "both", flags, floor: false } as const;
  return { name, ownName, origin: `mcp:${server}`, ...always };
}

/** What an agent may know of with a token of these scopes; of the rest names and words; and servers that have nothing for it. */
function split(
  { tools, denied, toolboxes, caller }: Setting,
  agent: string,
  scopes: readonly Scope[] | null,
) {
  const who = { ...caller(agent), scopes };
  const isThere = ({ server, ownName }: Known) =>
    server !== "srvoff" && server !== "srvwaiting" && !denied.includes(`mcp:${server}:${ownName}`);
  const own = tools.filter((tool) => isThere(tool) && mayHave(asListed(tool), who, { toolboxes }));
  const others = tools.filter((tool) => !own.includes(tool));
  const strangers = SERVERS.filter((server) => own.every((tool) => tool.server !== server));
  return { own, others, secrets: [...others.flatMap(({ name, word }) => [name, word]), ...strangers] };
}

async function connect({ url }: TestGateway, token: string, era: Era): Promise<Client> {
  const client = testClient(era);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

/** Everything that an answer says, whether it went well or not. */
async function said(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  try {
    return JSON.stringify(await client.callTool({ name, arguments: args }));
  } catch (error) {
    return String(error);
  }
}

async function rpc({ url }: TestGateway, token: string, method: string, params: object): Promise<string> {
  const response = await fetch(url.replace(/mcp$/, "rpc"), {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return await response.text();
}

/** One agent, seen through one token and one connection. */
interface Seen extends ReturnType<typeof split> {
  readonly test: Setting;
  readonly token: string;
  readonly client: Client;
  /** For messages: what brings it back. */
  readonly where: string;
}

async function listed({ client }: Seen) {
  return (await client.listTools({}, { cacheMode: "bypass" })).tools;
}

async function checkLists(seen: Seen): Promise<void> {
  const { client, own, secrets, where, test, token } = seen;
  const tools = await listed(seen);
  expect(givenAway(JSON.stringify(tools), secrets), where).toEqual([]);
  const instructions = client.getInstructions() ?? "";
  expect(givenAway(instructions, secrets), where).toEqual([]);
  const [, count] = /You can use (\d+) more tool/.exec(instructions) ?? [];
  const shown = tools.filter(({ name }) => own.some((tool) => tool.name === name));
  expect(shown.length + Number(count ?? 0), where).toBe(own.length);
  expect(givenAway(await rpc(test, token, "tools/list", {}), secrets), where).toEqual([]);
}

async function checkSearches(seen: Seen): Promise<void> {
  const { client, own, others, secrets, where } = seen;
  const search = (query: string) => said(client, "tool_search", { query, max_results: 10 });
  for (const query of QUERIES)
    expect(givenAway(await search(query), secrets), `${where}: ${query}`).toEqual([]);
  for (const { name, word } of others.slice(0, 6)) {
    expect(givenAway(await search(word), [name]), `${where}: ${word}`).toEqual([]);
    expect(givenAway(await search(`select:${name}`), [word]), `${where}: ${name}`).toEqual([]);
  }
  for (const { name, word } of own.slice(0, 3))
    expect(givenAway(await search(word), [name]), `${where}: ${word}`).toEqual([name]);
  expect(givenAway(JSON.stringify(await listed(seen)), secrets), where).toEqual([]);
}

async function checkCalls({ client, others, secrets, where, test, token }: Seen): Promise<void> {
  for (const { name, word } of others.slice(0, 6)) {
    const answers = [
      await said(client, name, {}),
      await said(client, "call_tool", { name, arguments: {} }),
      await rpc(test, token, "tools/call", { name, arguments: {} }),
    ].join(" ");
    expect(answers, where).not.toContain("was called");
    expect(givenAway(answers, [word]), where).toEqual([]);
    const mistyped = { name: `${name}x`, arguments: {} };
    const guesses = [await said(client, mistyped.name, {}), await rpc(test, token, "tools/call", mistyped)];
    expect(givenAway(guesses.join(" "), secrets), `${where}: ${mistyped.name}`).toEqual([]);
  }
}

describe.each([1, 2])(
  "what an agent may not know of, for random servers, grants and rules (seed %i)",
  (seed) => {
    it("is in no list, instruction, search or error of either era, nor at /rpc", {
      timeout: 60_000,
    }, async () => {
      await using test = await setUp(seed);
      for (let at = 0; at < AGENTS; at++) {
        const agent = `agent${at}`;
        const scopes = test.dice.chance(0.6) ? null : SCOPES.filter(() => test.dice.chance(0.7));
        const token = await test.token(agent, scopes ? { scopes } : {});
        for (const era of ["legacy", "modern"] as const) {
          const client = await connect(test, token, era);
          const where = `seed ${seed}, ${agent}, ${era}`;
          const seen: Seen = { ...split(test, agent, scopes), test, token, client, where };
          await checkLists(seen);
          if (scopes === null || scopes.includes("tools")) await checkSearches(seen);
          await checkCalls(seen);
          await client.close();
        }
      }
    });
  },
);
