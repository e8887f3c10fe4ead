import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Held } from "../support/fuzz-belongings.ts";
import { Fuzz, type FuzzMaterial, type FuzzRequest } from "../support/fuzz-requests.ts";
import { type Answer, connect, readAll, send } from "../support/fuzz-send.ts";
import { atLength } from "../support/length.ts";
import { bearer, modernHeaders, modernMessage, type Params } from "../support/mcp-post.ts";
import { tempHome } from "../support/temp-home.ts";
import { EVERYTHING } from "../support/test-hub.ts";
import { type Serving, serve } from "../support/toolkeep.ts";

/** `npm run fuzz` sets these; a run of all tests makes do with fewer. */
const REQUESTS = Number(process.env.TOOLKEEP_FUZZ_REQUESTS ?? atLength(1_500, 500));
const SEED = Number(process.env.TOOLKEEP_FUZZ_SEED ?? 20_261_116);
const IS_LONG = REQUESTS >= 5_000;
/** After so many, the victim finishes what it had under way, and begins anew. */
const ROUND = 2_000;
const TOGETHER = 8;
const MAX_ASKED = 5;
const LONG_MS = 60 * 60_000;
/** Only the victim has ever seen the first, only the attacker sends the second. */
const SECRET = "canary-of-the-victim-5f1c";
const MARK = "mark-of-the-attacker-77ab";
/** What takes long, reaches out, or is a shell, which may read what its user may. */
const LEFT_OUT = /shell|command|human|long-running|research|gzip|toggle|asking|curious|jobs/;

let home: Awaited<ReturnType<typeof tempHome>>;
let daemon: Serving;
let admin: string;
let victim: string;
let attacker: string;
const seen = {
  statuses: new Map<number | undefined, number>(),
  /** How many of each kind were answered with 200. */
  served: new Map<string, number>(),
  failed: [] as string[],
  unexpected: [] as string[],
  leaked: [] as string[],
  unanswered: new Map<string, number>(),
  disturbed: [] as string[],
  rss: [] as number[],
};

beforeAll(async () => {
  home = await tempHome();
  await writeFile(join(home.path, "config.json"), JSON.stringify(CONFIG));
  daemon = await serve({ home: home.path });
  admin = JSON.parse(await readFile(join(daemon.ready.home, "daemon.json"), "utf8")).token;
  await setUp();
  const dice = { seed: SEED };
  for (let left = REQUESTS; left > 0; left -= ROUND) await round(Math.min(left, ROUND), dice.seed++);
}, LONG_MS);

afterAll(async () => {
  await daemon?.[Symbol.asyncDispose]();
  await home?.[Symbol.asyncDispose]();
});

describe(`${REQUESTS} requests that nobody should send (seed ${SEED})`, () => {
  it("reached everything: most were answered, in many ways, and many got far", () => {
    const { statuses, served } = seen;
    expect(statuses.get(undefined) ?? 0).toBeLessThan(REQUESTS / 8);
    for (const status of [200, 202, 400, 401, 403, 404, 413, 415, 431])
      expect(statuses.get(status) ?? 0, `${status} in ${[...statuses]}`).toBeGreaterThan(0);
    for (const kind of ["modern", "legacy", "rpc"])
      expect(served.get(kind) ?? 0, kind).toBeGreaterThan(REQUESTS / 50);
  });

  it("never gave a 5xx, but to say which limit is reached", () => {
    expect(seen.failed).toEqual([]);
  });

  it("never showed another agent's data, nor anybody's token", () => {
    expect(seen.leaked).toEqual([]);
  });

  it("refused what belongs to somebody else, each in its own way", () => {
    expect(seen.unexpected).toEqual([]);
    const unanswered = [...seen.unanswered.values()].reduce((sum, count) => sum + count, 0);
    expect(unanswered, JSON.stringify([...seen.unanswered])).toBeLessThan(REQUESTS / 50);
  });

  it("disturbed nothing that the other agent had under way", () => {
    expect(seen.disturbed).toEqual([]);
  });

  it("left the daemon alive and both agents at work", async () => {
    expect(daemon.child.exitCode).toBe(null);
    expect(await call(victim, "read_file", { path: "secret.txt" })).toContain(SECRET);
    expect(await call(attacker, "mcp_everything_echo", { message: "still here" })).toContain("still here");
  });

  it("gave no object of the daemon anything that it had not before", async () => {
    const response = await post("/rpc", attacker, {});
    expect(response).toMatchObject({ status: 400 });
    expect(await response.json()).toMatchObject({ id: null, error: { code: -32600 } });
    expect((await post("/mcp", attacker, {})).status).toBe(400);
  });

  it("left no error in the log", () => {
    const lines = daemon.stderr().split("\n").filter(Boolean);
    const errors = lines.filter((line) => !line.startsWith("{") || JSON.parse(line).level >= 50);
    expect(errors.map((line) => line.slice(0, 300))).toEqual([]);
  });

  it("left no memory behind", () => {
    if (seen.rss.length === 0) return console.log("not checked: this system has no /proc");
    expect(Math.max(...seen.rss), String(seen.rss)).toBeLessThan(450);
    return undefined;
  });
});

describe("the daemon under connections that no client makes", () => {
  it("answers what is sent ahead in order, each with its own agent's data", async () => {
    const socket = connect(daemon.url);
    const heard = readAll(socket);
    const turns = Array.from({ length: 40 }, (_, turn) => turn);
    for (const turn of turns) {
      const isVictim = turn % 2 === 0;
      const message = `turn ${turn} ${isVictim ? SECRET : MARK}`;
      const params = { name: "mcp_everything_echo", arguments: { message } };
      const body = JSON.stringify({ jsonrpc: "2.0", id: `turn-${turn}`, method: "tools/call", params });
      const headers = {
        ...bearer(isVictim ? victim : attacker),
        connection: turn === 39 ? "close" : "keep-alive",
      };
      socket.write(head(turn % 3 === 0 ? "/rpc" : "/rpc?x", headers, body) + body);
    }
    const text = await heard;
    const ids = [...text.matchAll(/"id":"turn-(\d+)"/g)].map(([, turn]) => Number(turn));
    expect(ids).toEqual(turns);
    for (const part of text.split(/(?=HTTP\/1\.1 )/)) {
      const turn = Number(/"turn-(\d+)"/.exec(part)?.[1]);
      expect(part).toContain(`turn ${turn} ${turn % 2 === 0 ? SECRET : MARK}`);
      expect(part).not.toContain(turn % 2 === 0 ? MARK : SECRET);
    }
  });

  it(
    "serves others while hundreds are half open, and cuts those off in time",
    async () => {
      const begun = head("/mcp", bearer(attacker), "x".repeat(1_000));
      const sockets = Array.from({ length: 300 }, (_, index) => {
        const socket = connect(daemon.url);
        socket.write(["", begun.slice(0, 60), `${begun}[`][index % 3]!);
        return { socket, heard: readAll(socket) };
      });
      const slow = slowBody(begun);
      expect(await call(victim, "mcp_everything_echo", { message: "in time" })).toContain("in time");
      if (IS_LONG) {
        const heard = await Promise.all([...sockets.map((each) => each.heard), slow]);
        for (const text of heard) expect(text).toMatch(/^$|^HTTP\/1\.1 408 /);
      }
      for (const { socket } of sockets) socket.destroy();
      expect(await call(attacker, "mcp_everything_echo", { message: "still" })).toContain("still");
    },
    LONG_MS,
  );
});

const script = (name: string) => join(import.meta.dirname, "../support/servers", name);
const CONFIG = {
  mcpServers: {
    everything: EVERYTHING,
    asking: { command: process.execPath, args: [script("asking.mjs")] },
    // Whatever it is asked, it goes on.
    curious: {
      command: process.execPath,
      args: ["--unhandled-rejections=warn", script("asking.mjs")],
      max_concurrency: 100,
    },
    jobs: { command: process.execPath, args: [script("tasks.mjs"), "modern"] },
  },
  max_message_bytes: 200_000,
  log_level: "info",
  // So that most wrong tokens are looked at, and some are too many.
  rate_limits: { failures_per_minute: 1_000 },
};

async function setUp(): Promise<void> {
  const servers = Object.keys(CONFIG.mcpServers);
  await Promise.all(servers.map((name) => manage("POST", `/api/servers/${name}/test`)));
  await manage("POST", "/api/toolboxes", { name: "box", tools: servers.map((name) => `mcp:${name}:*`) });
  for (const name of ["victim", "attacker"])
    await manage("POST", "/api/agents", { name, toolboxes: ["all", "box"] });
  victim = (await manage("POST", "/api/tokens", { agent: "victim" })).token;
  attacker = (await manage("POST", "/api/tokens", { agent: "attacker" })).token;
  expect(await call(victim, "write_file", { path: "secret.txt", content: SECRET })).not.toContain('"error"');
  for (const token of [victim, attacker])
    expect(await call(token, "mcp_everything_echo", { message: "hello" })).toContain("Echo: hello");
  expect(await call(victim, "mcp_everything_echo", { message: SECRET })).toContain(SECRET);
}

/** The victim has something under way; the attacker does what it can; the victim finishes. */
async function round(requests: number, seed: number): Promise<void> {
  const theirs = await Held.open({ url: daemon.url, token: victim, server: "asking", secret: SECRET });
  const own = await Held.open({ url: daemon.url, token: attacker, server: "curious", secret: MARK });
  const fuzz = new Fuzz(seed, await material(theirs, own));
  const work = Array.from({ length: requests }, () => fuzz.next()).values();
  const asked: FuzzRequest[] = [];
  await Promise.all(
    Array.from({ length: TOGETHER }, async () => {
      for (const request of work) {
        const answer = await send(daemon, request);
        note(request, answer);
        asked.push(...answered(request, answer));
        // Each holds one of its server's turns until it is answered.
        if (asked.length > MAX_ASKED) note(asked[0]!, await send(daemon, asked.shift()!));
      }
    }),
  );
  for (const request of asked) note(request, await send(daemon, request));
  const { exitCode, signalCode } = daemon.child;
  if (exitCode !== null || signalCode !== null)
    throw new Error(
      `the daemon ended: ${exitCode ?? signalCode}, seed ${seed}\n${daemon.stderr().slice(-2_000)}`,
    );
  seen.disturbed.push(...(await theirs.finish(MARK)));
  await own.finish(SECRET);
  const status = await readFile(`/proc/${daemon.pid}/status`, "utf8").catch(() => "");
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(status) ?? [];
  if (kilobytes !== undefined) seen.rss.push(Math.round(Number(kilobytes) / 1024));
  if (IS_LONG) console.log(`${requests} requests more (seed ${seed}); the daemon has ${seen.rss.at(-1)} MB`);
}

async function material(theirs: Held, own: Held): Promise<FuzzMaterial> {
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
  const list = async (method: string): Promise<any> =>
    JSON.parse(await (await inSession(own.session, method)).text()).result;
  const { tools } = await list("tools/list");
  const { paths } = await manage("GET", "/api/openapi.json");
  const { agents } = await manage("GET", "/api/agents");
  const workspace =
    agents.find(({ name }: Params) => name === "victim").workspace ?? join(home.path, "victim");
  return {
    mark: MARK,
    token: attacker,
    own,
    victim: theirs,
    secretFile: join(workspace, "secret.txt"),
    tools: tools
      .filter(({ name }: Params) => !LEFT_OUT.test(String(name)))
      .map(({ name, inputSchema }: { name: string; inputSchema: Params }) => ({
        name,
        parameters: Object.keys(inputSchema.properties ?? {}),
      })),
    uris: (await list("resources/list")).resources.map(({ uri }: Params) => uri),
    prompts: (await list("prompts/list")).prompts.map(({ name }: Params) => name),
    routes: Object.entries(paths as Record<string, object>)
      .filter(([path]) => path.startsWith("/api/") || path === "/metrics")
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
      ),
  };
}

function note(request: FuzzRequest, { status, text }: Answer): void {
  const { kind, method, path, expected } = request;
  const said = text.slice(text.indexOf("\r\n\r\n")).trim().slice(0, 200);
  const line = `${kind}: ${method} ${path.slice(0, 100)} → ${status} ${said}`;
  seen.statuses.set(status, (seen.statuses.get(status) ?? 0) + 1);
  if (status === 200) seen.served.set(kind, (seen.served.get(kind) ?? 0) + 1);
  // 503 says that a limit is reached, and which.
  const isFailure = status !== undefined && status >= 500 && !(status === 503 && /too many/.test(text));
  if (isFailure) seen.failed.push(`${line} ${request.body?.toString("utf8").slice(0, 200)}`);
  if ([SECRET, victim, admin].some((secret) => text.includes(secret))) seen.leaked.push(line);
  if (!expected) return;
  if (status === undefined) seen.unanswered.set(kind, (seen.unanswered.get(kind) ?? 0) + 1);
  else if (!expected.status.includes(status) || expected.text?.test(text) === false)
    seen.unexpected.push(line);
}

/** What the attacker says to a call of its own that asks it something. */
function answered({ kind, path, body }: FuzzRequest, { text }: Answer): FuzzRequest[] {
  const [, requestState] = /"requestState":"([^"]+)"/.exec(text) ?? [];
  if (kind !== "modern" || requestState === undefined) return [];
  const { name, arguments: args } = JSON.parse(String(body)).params;
  const accepted = { action: "accept", content: { answer: MARK } };
  const inputResponses = { elicitation_1: accepted, sampling_1: accepted };
  const message = modernMessage("tools/call", { name, arguments: args, requestState, inputResponses });
  const headers = { ...bearer(attacker), ...modernHeaders(message) };
  return [
    {
      kind: "answer",
      method: "POST",
      path,
      headers,
      body: Buffer.from(JSON.stringify(message)),
      manner: "whole",
    },
  ];
}

/** Says something every few seconds, and never comes to an end. */
async function slowBody(begun: string): Promise<string> {
  const socket = connect(daemon.url);
  const heard = readAll(socket);
  socket.write(begun);
  while (IS_LONG && !socket.destroyed) {
    socket.write("x");
    await delay(3_000);
  }
  socket.destroy();
  return heard;
}

function head(path: string, headers: Readonly<Record<string, string>>, body: string): string {
  const lines = Object.entries({ host: new URL(daemon.url).host, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `POST ${path} HTTP/1.1\r\n${lines.join("")}content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
async function manage(method: string, path: string, body?: object): Promise<any> {
  const headers = { authorization: `Bearer ${admin}`, ...(body && { "content-type": "application/json" }) };
  const response = await fetch(daemon.url + path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
  return JSON.parse(text);
}

async function call(token: string, name: string, args: object): Promise<string> {
  const params = { name, arguments: args };
  return (await post("/rpc", token, { jsonrpc: "2.0", id: 9, method: "tools/call", params })).text();
}

function inSession(session: string, method: string): Promise<Response> {
  return post("/mcp", attacker, { jsonrpc: "2.0", id: 1, method }, { "mcp-session-id": session });
}

function post(path: string, token: string, body: object, headers: Params = {}): Promise<Response> {
  return fetch(daemon.url + path, {
    method: "POST",
    headers: { ...bearer(token), ...(headers as Record<string, string>) },
    body: JSON.stringify(body),
  });
}
