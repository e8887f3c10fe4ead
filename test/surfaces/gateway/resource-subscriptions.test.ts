import { expect, test } from "vitest";
import type { ToolCall, ToolOutcome } from "../../../src/contract/tool.ts";
import { ResourceSubscriptions } from "../../../src/surfaces/gateway/resource-subscriptions.ts";
import { testCaller } from "../../support/tools.ts";

const URI = "file:///a.txt";
const request = { kind: "request", id: 1, method: "resources/subscribe", params: { uri: URI } } as const;
const { signal } = new AbortController();
const exchange = { era: "legacy", caller: testCaller(), signal, notify() {} } as const;
const ended: ToolOutcome = {
  callId: "c",
  outcome: "ok",
  content: [],
  text: "",
  durationMs: 0,
  truncated: false,
};

test("what was given up and failed late does not take away what was asked for since", async () => {
  const begun: { readonly call: ToolCall; end(outcome: ToolOutcome): void }[] = [];
  const hub = {
    callTool: (call: ToolCall) => new Promise<ToolOutcome>((end) => begun.push({ call, end })),
  };
  const subscriptions = new ResourceSubscriptions(hub, { callerNow: () => undefined, onUpdate() {} });
  const first = subscriptions.subscribe(request, exchange);
  subscriptions.unsubscribe({ uri: URI });
  const second = subscriptions.subscribe(request, exchange);
  begun[0]?.end({ ...ended, outcome: "failed", error: { message: "given up" } });
  expect(await first).toMatchObject({ message: "given up" });
  begun[1]?.end(ended);
  expect(await second).toBe("{}");

  subscriptions.close();
  expect(begun.map(({ call }) => call.subscription?.signal.aborted)).toEqual([true, true]);
});
