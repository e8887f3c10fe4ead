import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { processTable } from "../../src/machine/process/process-table.ts";
import { connectClient } from "../support/connect-client.ts";
import { integrity } from "../support/integrity.ts";
import { living } from "../support/living.ts";
import { toolkeepHere, toolkeepHereJson } from "../support/run-command.ts";
import { homeWithStore } from "../support/store-template.ts";
import { EVERYTHING } from "../support/test-hub.ts";
import { type Serving, serve } from "../support/toolkeep.ts";
import { waitUntil } from "../support/wait-until.ts";

const ROUNDS = 4;
const ECHO = "mcp_everything_echo";

describe("kill -9 of a busy daemon", { timeout: 120_000 }, () => {
  it("loses no acknowledged write, leaves no process and does not hinder the next start", async () => {
    await using home = await homeWithStore();
    const options = { home: home.path };
    await toolkeepHere(options, "server", "add", "everything", "--", EVERYTHING.command, ...EVERYTHING.args);
    await toolkeepHere(options, "agent", "create", "worker", "--grant", ECHO);
    const { token } = await toolkeepHereJson(options, "token", "create", "--agent", "worker");
    const acknowledged = ["worker"];

    for (let round = 0; round < ROUNDS; round++) {
      await using daemon = await serve(options);
      const load = startLoad(daemon, token, round);
      await waitUntil("calls and writes are under way", () => load.calls() > 5 && load.agents.length > 5);
      const run = async () => (await descendantsOf(daemon.pid)).length >= 3;
      await waitUntil("its reaper, its server and a command run", run);
      await sleep(Math.random() * 300);
      const descendants = await descendantsOf(daemon.pid);
      expect(descendants.length).toBeGreaterThanOrEqual(3);

      await daemon.end("SIGKILL");
      await load.end();
      acknowledged.push(...load.agents);

      await waitUntil("nothing it started is left", async () => (await living(descendants)).length === 0);
      expect(await integrity(home.path)).toEqual(["ok"]);
    }

    await using daemon = await serve(options);
    const { agents } = await toolkeepHereJson(options, "agent", "list");
    const names = new Set(agents.map((agent: { name: string }) => agent.name));
    expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
    await using connected = await connectClient(daemon.url, token);
    expect(
      await connected.client.callTool({ name: ECHO, arguments: { message: "still here" } }),
    ).toMatchObject({ content: [{ text: "Echo: still here" }] });
  });
});

/** Calls a server's tool, runs shell commands and creates agents, all at once, until the daemon is gone. */
function startLoad(daemon: Serving, token: string, round: number) {
  const agents: string[] = [];
  let calls = 0;
  const untilItFails = async (work: (index: number) => Promise<void>) => {
    for (let index = 0; ; index++) {
      try {
        await work(index);
      } catch {
        return;
      }
    }
  };
  const admin = adminOf(daemon);
  const client = connectClient(daemon.url, token);
  const over = Promise.all([
    untilItFails(async () => {
      await (await client).client.callTool({ name: ECHO, arguments: { message: "x".repeat(1_000) } });
      calls++;
    }),
    untilItFails(async () => {
      await (await client).client.callTool({
        name: "run_shell",
        arguments: { command: "sleep 300 & sleep 300" },
      });
    }),
    untilItFails(async (index) => {
      const name = `agent-${round}-${index}`;
      await (await admin)("POST", "/api/agents", { name });
      agents.push(name);
    }),
  ]);
  return {
    agents,
    calls: () => calls,
    async end() {
      // A client waits for the answer of a stream that broke; closing it ends the waiting.
      await (await client)[Symbol.asyncDispose]();
      await over;
    },
  };
}

/** The API of the daemon as its command line uses it. */
async function adminOf(daemon: Serving) {
  const { token } = JSON.parse(await readFile(join(daemon.ready.home, "daemon.json"), "utf8"));
  return async (method: string, path: string, body: unknown) => {
    const response = await fetch(daemon.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(answer);
  };
}

async function descendantsOf(pid: number): Promise<number[]> {
  const table = await processTable();
  const found = new Set([pid]);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const row of table) if (found.has(row.parent)) found.add(row.pid);
  }
  found.delete(pid);
  return [...found];
}
