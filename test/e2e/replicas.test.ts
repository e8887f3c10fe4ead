import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRoundRobin } from "../../scripts/replicas/round-robin.mjs";
import { connectClient } from "../support/connect-client.ts";
import { hasPostgres, scopedSchema } from "../support/postgres.ts";
import { toolkeepHere, toolkeepHereJson } from "../support/run-command.ts";
import { stopwatch } from "../support/stopwatch.ts";
import { tempHome } from "../support/temp-home.ts";
import { testClient } from "../support/test-gateway.ts";
import { type RunOptions, type Serving, serve } from "../support/toolkeep.ts";
import { waitUntil } from "../support/wait-until.ts";

const PLAIN = "mcp_counting_plain";
const PID = "mcp_counting_pid";
/** A rule wants a person to see its calls first. */
const ASKED = "mcp_counting_reads";
/** Changes are to be known elsewhere within a second; what a command and a busy machine take comes on top. */
const SOON_MS = 5_000;

describe.runIf(hasPostgres())("two daemons on one PostgreSQL", { timeout: 120_000 }, () => {
  let pair: Pair;
  beforeAll(async () => {
    pair = await replicas({ rules: [{ permission: ASKED, action: "ask" }] });
  }, 120_000);
  afterAll(() => pair[Symbol.asyncDispose]());

  it("take the calls of one client in turn, each with servers of its own", async () => {
    await using connected = await connectClient(pair.url, pair.token, "modern");
    const pids: string[] = [];
    for (let n = 0; n < 8; n++)
      pids.push(textOf(await connected.client.callTool({ name: PID, arguments: {} })));
    expect(new Set(pids).size).toBe(2);
    // In turn: what one answered, the other answers next.
    expect(pids[0]).not.toBe(pids[1]);
    expect(pids.slice(2)).toEqual(pids.slice(0, 6));
  });

  it("share approvals: given on one, used on the other, and only once", async () => {
    const [first, second] = pair.daemons;
    await using atFirst = await connectClient(first.url, pair.token, "modern");
    await using atSecond = await connectClient(second.url, pair.token, "modern");
    const nonce = randomUUID();
    const call = (client: Client) =>
      client.callTool({ name: ASKED, arguments: { nonce, moment: "none" } }).then(outcomeOf);
    expect(await call(atFirst.client)).toBe("needs_approval");
    // The same call elsewhere is the same question.
    expect(await call(atSecond.client)).toBe("needs_approval");
    const { questions } = await toolkeepHereJson(second.options, "question", "list");
    expect(questions).toHaveLength(1);
    expect(await toolkeepHere(second.options, "question", "answer", questions[0].id, "once")).toMatchObject({
      code: 0,
    });

    const outcomes = await Promise.all(
      [atFirst, atSecond, atFirst, atSecond].map(({ client }) => call(client)),
    );
    expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "needs_approval")).toHaveLength(3);
    expect(pair.received().filter((received) => received === nonce)).toHaveLength(1);
  });

  it("resume a call that waits on one when a person answers on the other", async () => {
    const [first, second] = pair.daemons;
    await using connected = await connectClient(first.url, pair.token, "modern");
    const asking = connected.client.callTool({
      name: "prompt_human",
      arguments: { question: "Which colour?" },
    });
    const asked = async () =>
      (await toolkeepHereJson(second.options, "question", "list")).questions.find(
        ({ kind }: { kind: string }) => kind === "human",
      );
    await waitUntil("the other shows the question", async () => (await asked()) !== undefined);
    await toolkeepHere(second.options, "question", "answer", (await asked()).id, "blue");
    const took = stopwatch();
    expect(textOf(await asking)).toContain("blue");
    expect(took()).toBeLessThan(1_000);
  });

  it("know within a moment what was changed on the other, and tell their clients", async () => {
    const [first, second] = pair.daemons;
    const created = ["token", "create", "--agent", "worker", "--label", "revoked"];
    const { token, record } = await toolkeepHereJson(first.options, ...created);
    await waitUntil("the other knows it", async () => (await statusOf(second.url, token)) !== 401, SOON_MS);
    let told = 0;
    const client = testClient("legacy", () => told++);
    await client.connect(transport(second.url, token));
    const names = async () => (await client.listTools()).tools.map((tool) => tool.name);
    expect(await names()).toContain(PID);

    await toolkeepHere(first.options, "toolbox", "remove", "counting", PID);
    await waitUntil("the other took the tool away", async () => !(await names()).includes(PID), SOON_MS);
    await waitUntil("its client was told", () => told > 0, SOON_MS);
    await toolkeepHere(first.options, "toolbox", "add", "counting", PID);
    await waitUntil("the other has it back", async () => (await names()).includes(PID), SOON_MS);
    await toolkeepHere(first.options, "token", "revoke", record.id, "--yes");
    await waitUntil(
      "the other lets it in no more",
      async () => (await statusOf(second.url, token)) === 401,
      SOON_MS,
    );
    await client.close();
  });

  it("let a client of either era go on when its requests come to the other one", async () => {
    for (const era of ["legacy", "modern"] as const) {
      pair.pin(0);
      await using connected = await connectClient(pair.url, pair.token, era);
      const pid = async () => textOf(await connected.client.callTool({ name: PID, arguments: {} }));
      const before = await pid();
      pair.pin(1);
      expect(await pid(), era).not.toBe(before);
      pair.pin();
    }
  });

  it("tell a client whose session neither knows to start anew, and let it", async () => {
    const answer = await fetch(`${pair.url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${pair.token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-session-id": randomUUID(),
        "mcp-protocol-version": "2025-11-25",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    expect(answer.status).toBe(404);
    await answer.text();
    await using anew = await connectClient(pair.url, pair.token, "legacy");
    expect((await anew.client.listTools()).tools.length).toBeGreaterThan(0);
  });

  it("lose no call without an error, and run none twice, when one is killed under load", async () => {
    await using connected = await connectClient(pair.url, pair.token, "modern");
    const answered: string[] = [];
    const failed: string[] = [];
    const nonces = Array.from({ length: 120 }, () => randomUUID());
    const waiting = [...nonces];
    const work = async () => {
      for (let nonce = waiting.shift(); nonce; nonce = waiting.shift()) {
        const args = { name: PLAIN, arguments: { nonce, moment: "none" } };
        const outcome = await connected.client.callTool(args).then(outcomeOf, () => "error");
        (outcome === "ok" ? answered : failed).push(nonce);
        if (answered.length === 30) pair.daemons[0].child.kill("SIGKILL");
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    expect([...answered, ...failed].sort()).toEqual([...nonces].sort());
    // Only what was under way on the one that died may have failed.
    expect(failed.length).toBeLessThanOrEqual(8);
    const received = pair.received();
    expect(new Set(received).size).toBe(received.length);
    expect(answered.filter((nonce) => !received.includes(nonce))).toEqual([]);
  });
});

type Replica = Serving & { readonly options: RunOptions };

interface Pair extends AsyncDisposable {
  /** Of the balancer before them. */
  readonly url: string;
  readonly daemons: readonly [Replica, Replica];
  /** Of an agent that may call the tools of the counting server. */
  readonly token: string;
  pin(index?: number): void;
  /** Every call that reached the counting server, on whichever of them. */
  received(): string[];
}

/** Two daemons with a counting server, both knowing its tools and one agent, behind a balancer. */
async function replicas(settings: Record<string, unknown> = {}): Promise<Pair> {
  const opened: AsyncDisposable[] = [];
  const use = <T extends AsyncDisposable>(each: T): T => {
    opened.push(each);
    return each;
  };
  const close = async () => {
    for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  };
  try {
    return { ...(await openReplicas(settings, use)), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openReplicas(
  settings: Record<string, unknown>,
  use: <T extends AsyncDisposable>(opened: T) => T,
): Promise<Omit<Pair, typeof Symbol.asyncDispose>> {
  const schema = use(await scopedSchema());
  const log = join(use(await tempHome()).path, "received");
  const env = { DATABASE_URL: schema.url, TOOLKEEP_KEY: randomBytes(32).toString("base64") };
  const start = async (): Promise<Replica> => {
    const home = use(await tempHome());
    const file = { log_level: "warn", deferred_loading: false, ...settings };
    await writeFile(join(home.path, "config.json"), JSON.stringify(file));
    const options = { home: home.path, env };
    return { ...use(await serve(options)), options };
  };
  const [first, second] = [await start(), await start()];
  const token = await addWorker(first.options, log);
  for (const { url } of [first, second]) {
    await waitUntil("it knows the token", async () => (await statusOf(url, token)) !== 401, SOON_MS);
    await using connected = await connectClient(url, token, "modern");
    const names = async () => (await connected.client.listTools()).tools.map((tool) => tool.name);
    await waitUntil("it lists the server's tools", async () => (await names()).includes(PLAIN));
  }
  const balancer = await startRoundRobin([first.url, second.url]);
  use({ [Symbol.asyncDispose]: () => balancer.close() });
  return {
    url: balancer.url,
    daemons: [first, second],
    token,
    pin: (index) => balancer.pin(index),
    received: () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").filter(Boolean) : []),
  };
}

/** An agent that may call two tools of a server that counts; resolves with its token. */
async function addWorker(options: RunOptions, log: string): Promise<string> {
  const script = join(import.meta.dirname, "../support/servers/counting.mjs");
  const added = ["server", "add", "counting", "--", process.execPath, script, log];
  expect(await toolkeepHere(options, ...added)).toMatchObject({ code: 0 });
  await toolkeepHere(options, "toolbox", "create", "counting", PLAIN, PID, ASKED);
  await toolkeepHere(options, "agent", "create", "worker", "--toolbox", "counting");
  const created = ["token", "create", "--agent", "worker", "--label", "replicas"];
  return (await toolkeepHereJson(options, ...created)).token;
}

function transport(url: string, token: string): StreamableHTTPClientTransport {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  return new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit });
}

async function statusOf(url: string, token: string): Promise<number> {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  await response.text();
  return response.status;
}

type Result = Awaited<ReturnType<Client["callTool"]>>;

function textOf(result: Result): string {
  return (result.content as { text?: string }[]).map(({ text }) => text ?? "").join("");
}

function outcomeOf(result: Result): unknown {
  return result._meta?.["toolkeep/outcome"] ?? (result.isError ? "error" : "ok");
}
