import { expect, test } from "vitest";
import type { PinRecord } from "../../../src/servers/records.ts";
import { describeChanges } from "../../../src/servers/trust/change-view.ts";
import { NO_FOREIGN_NAMES } from "../../../src/servers/trust/definitions/scan-text.ts";

const changedTool = (at: number): PinRecord => ({
  serverId: "srv_a",
  kind: "tool",
  key: `tool_${String(at).padStart(5, "0")}`,
  accepted: "a",
  acceptedAs: { name: `tool_${at}`, description: "Reads a file.\nOf any kind." },
  held: "b",
  heldAs: { name: `tool_${at}`, description: `Reads a file.\nOf any kind, ${"also this one. ".repeat(40)}` },
  rejected: null,
  changedAt: 5,
});

test("thousands of changed tools are shown without holding up whatever else is to be done", async () => {
  const pins = Array.from({ length: 4_000 }, (_, at) => changedTool(at)).reverse();
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const { changes } = await describeChanges(pins, (own) => `mcp_a_${own}`, NO_FOREIGN_NAMES);
  isOver = true;
  expect(changes).toHaveLength(4_000);
  expect(changes[0]).toMatchObject({ name: "tool_00000", tool: "mcp_a_tool_00000", what: "changed" });
  // Each turn that others had took a few milliseconds at most.
  expect(turns).toBeGreaterThan(5);
});
