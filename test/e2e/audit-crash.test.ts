import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { openStore } from "../../src/machine/db/open.ts";
import { callTables } from "../support/call-tables.ts";
import { bearer, modernHeaders, modernMessage } from "../support/mcp-post.ts";
import { command, commandJson } from "../support/run-command.ts";
import { homeWithStore } from "../support/store-template.ts";
import { type Serving, serve } from "../support/toolkeep.ts";
import { waitUntil } from "../support/wait-until.ts";

/** What docs/audit.md says that a crash may lose, and what a busy machine may add to it. */
const WINDOW_MS = 200;
const SLACK_MS = 300;
const SAFE = "think";
const DESTRUCTIVE = "run_shell";

interface Answered {
  readonly id: string;
  readonly tool: string;
  readonly at: number;
  /** It came through `/mcp`, not `/api/call`. */
  readonly isMcp: boolean;
}

it("kill -9 under load: destructive calls are all on record, others but for the last window, and the chain verifies", {
  timeout: 180_000,
}, async () => {
  await using home = await homeWithStore();
  const here = { env: { TOOLKEEP_HOME: home.path }, cwd: home.path };
  await command(here, "agent", "create", "worker", "--grant", DESTRUCTIVE);
  const { token } = await commandJson(here, "token", "create", "--admin");
  const { token: agentToken } = await commandJson(here, "token", "create", "--agent", "worker");
  const rules = [{ permission: DESTRUCTIVE, action: "allow" }];
  await writeFile(join(home.path, "config.json"), JSON.stringify({ rules }));
  const answered: Answered[] = [];
  let killedAt = 0;
  {
    await using daemon = await serve({ home: home.path });
    const byApi = (tool: string, args: object) => throughApi(daemon, token, tool, args);
    const byMcp = (tool: string, args: object) => throughMcp(daemon, agentToken, tool, args);
    const load = Promise.all([
      ...[byApi, byApi, byApi, byMcp, byMcp, byMcp].map((by) =>
        untilItFails(by(SAFE, { thought: "x" }), SAFE, answered),
      ),
      ...[byApi, byMcp].map((by) =>
        untilItFails(by(DESTRUCTIVE, { command: "true" }), DESTRUCTIVE, answered),
      ),
    ]);
    const isUnderWay = (isMcp: boolean) => {
      const count = (tool: string) =>
        answered.filter((each) => each.tool === tool && each.isMcp === isMcp).length;
      return count(SAFE) > 20 && count(DESTRUCTIVE) > 1;
    };
    await waitUntil("both are under way, by both ways", () => isUnderWay(true) && isUnderWay(false), 90_000);
    await sleep(Math.random() * WINDOW_MS);
    killedAt = Date.now();
    await daemon.end("SIGKILL");
    await load;
  }

  const store = await openStore({ home: home.path, databaseUrl: null, clock: systemClock });
  const recorded = await callTables(store).audit.known(answered.map(({ id }) => id));
  const intents = (await callTables(store).audit.list({ limit: 1_000, kind: "intent" })).length;
  await store.close();
  const lost = answered.filter(({ id }) => !recorded.has(id));
  expect(lost.filter(({ tool }) => tool === DESTRUCTIVE)).toEqual([]);
  expect(lost.filter(({ at }) => at < killedAt - WINDOW_MS - SLACK_MS)).toEqual([]);
  expect(recorded.size).toBeGreaterThan(3);
  expect(intents).toBeGreaterThanOrEqual(answered.filter(({ tool }) => tool === DESTRUCTIVE).length);
  expect(await command(here, "audit", "verify")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("no problems."),
  });
});

/** How a call ended, and under which id it has to be on record. */
interface Ended {
  readonly callId: string;
  readonly outcome: string;
  readonly isMcp?: boolean;
}

function throughApi({ url }: Serving, token: string, name: string, args: object): () => Promise<Ended> {
  const body = JSON.stringify({ name, arguments: args, agent: "worker" });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return async () =>
    (await (await fetch(`${url}/api/call`, { method: "POST", headers, body })).json()) as Ended;
}

/** As a client of 2026-07-28, whose requests stand by themselves. */
function throughMcp({ url }: Serving, token: string, name: string, args: object): () => Promise<Ended> {
  const message = modernMessage("tools/call", { name, arguments: args });
  const headers = { ...bearer(token), ...modernHeaders(message) };
  return async () => {
    const response = await fetch(`${url}/mcp`, { method: "POST", headers, body: JSON.stringify(message) });
    const text = await response.text();
    const line = text.startsWith("{") ? text : text.split("\n").find((each) => each.startsWith("data: {"));
    const meta = JSON.parse(line?.replace(/^data: /, "") ?? "null")?.result?._meta;
    if (!meta) throw new Error(`no result: ${text}`);
    return { callId: meta["toolkeep/call_id"], outcome: meta["toolkeep/outcome"], isMcp: true };
  };
}

async function untilItFails(call: () => Promise<Ended>, tool: string, answered: Answered[]): Promise<void> {
  try {
    for (;;) {
      const { callId, outcome, isMcp = false } = await call();
      if (outcome !== "ok") throw new Error(`${tool} ended with ${outcome}`);
      answered.push({ id: callId, tool, at: Date.now(), isMcp });
    }
  } catch (error) {
    // Nobody answers any more.
    if (!(error instanceof TypeError)) throw error;
  }
}
