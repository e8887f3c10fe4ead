import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { openStore } from "../../src/store/open.ts";
import { command, commandJson } from "../support/run-command.ts";
import { tempHome } from "../support/temp-home.ts";
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
}

it("kill -9 under load: destructive calls are all on record, others but for the last window, and the chain verifies", {
  timeout: 60_000,
}, async () => {
  await using home = await tempHome();
  const here = { env: { TOOLKEEP_HOME: home.path }, cwd: home.path };
  await command(here, "agent", "create", "worker", "--grant", DESTRUCTIVE);
  const { token } = await commandJson(here, "token", "create", "--admin");
  const rules = [{ permission: DESTRUCTIVE, action: "allow" }];
  await writeFile(join(home.path, "config.json"), JSON.stringify({ rules }));
  const answered: Answered[] = [];
  let killedAt = 0;
  {
    await using daemon = await serve({ home: home.path });
    const load = Promise.all([
      ...Array.from({ length: 6 }, () => untilItFails(daemon, token, SAFE, { thought: "x" }, answered)),
      ...Array.from({ length: 2 }, () =>
        untilItFails(daemon, token, DESTRUCTIVE, { command: "true" }, answered),
      ),
    ]);
    const count = (tool: string) => answered.filter((each) => each.tool === tool).length;
    await waitUntil("both are under way", () => count(SAFE) > 100 && count(DESTRUCTIVE) > 3, 20_000);
    await sleep(Math.random() * WINDOW_MS);
    killedAt = Date.now();
    await daemon.end("SIGKILL");
    await load;
  }

  const store = await openStore({ home: home.path, databaseUrl: null, clock: systemClock });
  const recorded = await store.audit.known(answered.map(({ id }) => id));
  const intents = (await store.audit.list({ limit: 1_000, kind: "intent" })).length;
  await store.close();
  const lost = answered.filter(({ id }) => !recorded.has(id));
  expect(lost.filter(({ tool }) => tool === DESTRUCTIVE)).toEqual([]);
  expect(lost.filter(({ at }) => at < killedAt - WINDOW_MS - SLACK_MS)).toEqual([]);
  expect(recorded.size).toBeGreaterThan(3);
  expect(intents).toBeGreaterThanOrEqual(answered.filter(({ tool }) => tool === DESTRUCTIVE).length);
  expect(await command(here, "audit", "verify")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("all are as they were written"),
  });
});

async function untilItFails(
  { url }: Serving,
  token: string,
  tool: string,
  args: object,
  answered: Answered[],
): Promise<void> {
  const body = JSON.stringify({ name: tool, arguments: args, agent: "worker" });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  try {
    for (;;) {
      const response = await fetch(`${url}/api/call`, { method: "POST", headers, body });
      const { callId, outcome } = (await response.json()) as { callId: string; outcome: string };
      if (outcome !== "ok") throw new Error(`${tool} ended with ${outcome}, status ${response.status}`);
      answered.push({ id: callId, tool, at: Date.now() });
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}
