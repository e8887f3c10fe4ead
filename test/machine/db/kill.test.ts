import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openHomeStore as openStore } from "../../../src/features.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { built, startChild } from "../../support/child.ts";
import { integrity } from "../../support/integrity.ts";
import { tempHome } from "../../support/temp-home.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { agent, call } from "./records.ts";

const ROUNDS = 4;

test("kill -9 at any moment leaves a whole store with every acknowledged write", {
  timeout: 240_000,
}, async () => {
  await using home = await tempHome();
  const acknowledged: string[] = [];

  for (let round = 0; round < ROUNDS; round++) {
    await using child = startChild(writer(home.path, round));
    await waitUntil("the child has written", () => child.lines.length >= 20, 60_000);
    await sleep(Math.random() * 100);
    await child.kill9();
    acknowledged.push(...child.lines);

    const stored = await storedIds(home.path);
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect(await integrity(home.path)).toEqual(["ok"]);
  }
});

/** Writes agents and calls for ever, and prints each id once its write is acknowledged. */
function writer(home: string, round: number): string {
  return `
    import { writeSync } from "node:fs";
    import { openStore } from ${built("machine/db/open.js")};
    import { AgentTable } from ${built("call/identity/tables.js")};
    import { callStore } from ${built("call/audit/call-table.js")};
    const store = await openStore({ home: ${JSON.stringify(home)}, databaseUrl: null, clock: Date.now });
    for (let index = 0; ; index++) {
      const name = "r${round}-" + index;
      await new AgentTable(store.database).create({ ...${JSON.stringify(agent("x"))}, id: "agt_" + name, name });
      writeSync(1, "agt_" + name + "\\n");
      await callStore(store.database).put([{ ...${JSON.stringify(call("x"))}, id: "call_" + name }]);
      writeSync(1, "call_" + name + "\\n");
    }`;
}

async function storedIds(home: string): Promise<Set<unknown>> {
  const store = await openStore({ home, databaseUrl: null, clock: systemClock });
  try {
    const { agents = [], calls = [] } = (await store.dump()).tables;
    return new Set([...agents, ...calls].map((row) => row.id));
  } finally {
    await store.close();
  }
}
