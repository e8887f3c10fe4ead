import { expect, test } from "vitest";
import { Approvals, type CallForApproval } from "../../../../src/call/rules/approvals/approvals.ts";
import type { Caller } from "../../../../src/contract/caller.ts";
import { createHub, type Hub } from "../../../../src/hub.ts";
import { openStore } from "../../../../src/machine/db/open.ts";
import type { Store } from "../../../../src/machine/db/store.ts";
import { tempHome } from "../../../support/temp-home.ts";
import { tempStore } from "../../../support/temp-store.ts";
import { testTool } from "../../../support/tools.ts";
import { trustStores } from "../../../support/trust-stores.ts";

test("an approved call continues from a round once, whichever process is asked", async () => {
  await using temp = await tempStore();
  const other = await openStore({ home: temp.home, databaseUrl: null, clock: Date.now });
  const [here, there] = [openApprovals(temp.store), openApprovals(other)];
  const round = here.roundToken("call_1", approvedCall({ about: "one" }));
  const taken = await Promise.all(
    [here, there, here, there].map((each) => each.claimRound(round, approvedCall({ about: "one" }))),
  );
  expect(taken.filter(Boolean)).toHaveLength(1);
  const next = here.roundToken("call_2", approvedCall({ about: "one" }));
  expect(await there.claimRound(next, approvedCall({ about: "one" }))).toBe(true);
  await other.close();
});

test("an approved call does not continue with other arguments than a person saw", async () => {
  await using temp = await tempStore();
  const approvals = openApprovals(temp.store);
  const round = approvals.roundToken("call_1", approvedCall({ about: "harmless" }));
  expect(await approvals.claimRound(round, approvedCall({ about: "harmful" }))).toBe(false);
  expect(await approvals.claimRound("call_1", approvedCall({ about: "harmless" }))).toBe(false);
  expect(await approvals.claimRound(round, approvedCall({ about: "harmless" }))).toBe(true);
});

function approvedCall(args: Record<string, unknown>): CallForApproval {
  const caller = { agentId: "agt_1" } as Caller;
  return { tool: testTool({ name: "ask" }), args, caller, decision: { action: "ask", rule: "a rule" } };
}

function openApprovals(store: Store): Approvals {
  const { claims } = trustStores(store);
  const nobody = () => {
    throw new Error("nobody is asked");
  };
  return new Approvals({
    questions: { ask: nobody, askTogether: nobody, get: nobody, answer: nobody, release: nobody },
    settings: nobody,
    haveRules: nobody,
    namedSecrets: () => [],
    claims,
    clock: Date.now,
  });
}

test("an approval that was asked for before a restart is answered and used after it", async () => {
  await using home = await tempHome();
  const settings = { rules: [{ permission: "think", action: "ask" }] };
  const open = () => createHub({ home: home.path, settings, env: {} });
  const call = (hub: Hub) => {
    const through = { tokenId: null, scopes: null, conversation: "test" };
    const caller = hub.identity.callerFor(hub.identity.agent("main"), through);
    return hub.callTool({ name: "think", arguments: { thought: "long" }, caller, via: "library" });
  };
  const first = await open();
  await first.identity.createAgent("main");
  const asked = await call(first);
  await first.close();
  const second = await open();
  await second.questions.answer(asked.error?.details?.approvalId as string, "once");
  await second.close();
  const third = await open();
  expect((await call(third)).outcome).toBe("ok");
  expect((await call(third)).outcome).toBe("needs_approval");
  await third.close();
});
