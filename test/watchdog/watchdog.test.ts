import { expect, test } from "vitest";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import type { Caller } from "../../src/tool.ts";
import { Watchdog } from "../../src/watchdog/watchdog.ts";
import { tempStore } from "../support/temp-store.ts";
import { testTool } from "../support/tools.ts";

test("an approved call goes on from a round once, whichever process is asked", async () => {
  await using temp = await tempStore();
  const other = await openStore({ home: temp.home, databaseUrl: null, clock: Date.now });
  const [here, there] = [watchdogOver(temp.store), watchdogOver(other)];
  const round = here.round("call_1", ...approved({ about: "one" }));
  const taken = await Promise.all(
    [here, there, here, there].map((each) => each.continues(round, ...approved({ about: "one" }))),
  );
  expect(taken.filter(Boolean)).toHaveLength(1);
  const next = here.round("call_2", ...approved({ about: "one" }));
  expect(await there.continues(next, ...approved({ about: "one" }))).toBe(true);
  await other.close();
});

test("an approved call does not go on with other arguments than a person saw", async () => {
  await using temp = await tempStore();
  const watchdog = watchdogOver(temp.store);
  const round = watchdog.round("call_1", ...approved({ about: "harmless" }));
  expect(await watchdog.continues(round, ...approved({ about: "harmful" }))).toBe(false);
  expect(await watchdog.continues("call_1", ...approved({ about: "harmless" }))).toBe(false);
  expect(await watchdog.continues(round, ...approved({ about: "harmless" }))).toBe(true);
});

function approved(args: Record<string, unknown>): Parameters<Watchdog["approval"]> {
  const caller = { agentId: "agt_1" } as Caller;
  return [testTool({ name: "ask" }), args, caller, { action: "ask", rule: "a rule" }];
}

function watchdogOver({ claims }: Store): Watchdog {
  const questions = {
    ask: () => {
      throw new Error("nobody is asked");
    },
  };
  return new Watchdog({ settings: { rules: [] }, questions, redact: String, claims, clock: Date.now });
}
