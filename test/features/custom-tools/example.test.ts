import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWorkspace } from "../../../src/machine/files/workspace.ts";
import { enableTool } from "../../support/custom.ts";
import { type TestHub, testHub } from "../../support/test-hub.ts";

const EXAMPLE = join(import.meta.dirname, "../../../examples/custom-tool/csv_stats");

async function exampleHub(csv: string): Promise<TestHub> {
  const test = await testHub({ agents: { main: ["all"] } });
  await cp(EXAMPLE, join(test.home, "tools", "csv_stats"), { recursive: true });
  await enableTool(test, "csv_stats");
  const { root } = await openWorkspace(test.home, { caller: test.caller("main") });
  await writeFile(join(root, "numbers.csv"), csv);
  return test;
}

describe("the example of a custom tool", () => {
  it("answers with statistics of a column, as its output_schema says", async () => {
    await using test = await exampleHub(
      'city,"tons, net"\r\nRome,4\r\n"New\nYork",1\r\nOslo,none\r\nLima,2.5\r\nBern,\r\n',
    );
    const args = { path: "numbers.csv", column: "tons, net" };
    expect(await test.call("custom_csv_stats", args, "main")).toMatchObject({
      outcome: "ok",
      structured: { rows: 5, count: 3, skipped: 2, min: 1, max: 4, mean: 2.5, median: 2.5 },
    });
    expect(test.hub.catalog.get("custom_csv_stats")?.flags).toEqual({
      readOnly: true,
      concurrencySafe: true,
      destructive: false,
    });
  });

  it("has an answer for a column without numbers", async () => {
    await using test = await exampleHub("a,b\n");
    expect(await test.call("custom_csv_stats", { path: "numbers.csv", column: "b" }, "main")).toMatchObject({
      structured: { rows: 0, count: 0, median: null },
    });
  });

  it.each([
    [{ path: "numbers.csv", column: "c" }, 'has no column "c"; it has a, b'],
    [{ path: "missing.csv", column: "a" }, "there is no file missing.csv"],
    [{ path: "/etc/passwd", column: "a" }, "is outside the workspace"],
  ])("says why %j cannot be answered", async (args, reason) => {
    await using test = await exampleHub("a,b\n1,2\n");
    const { outcome, text } = await test.call("custom_csv_stats", args, "main");
    expect(outcome).toBe("failed");
    expect(text).toContain(reason);
  });
});
