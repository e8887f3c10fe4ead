import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";

describe.skipIf(withoutDashboard)("the audit page", { timeout: 90_000 }, () => {
  it("narrows by what stands in the address, which outlives a reload, and exports the same", async () => {
    await using dashboard = await testDashboard({ agents: { main: [], other: [] } });
    await dashboard.call("think", { thought: "mine" }, "main");
    await dashboard.call("think", { thought: "theirs" }, "other");
    await dashboard.call("no_such_tool", {}, "other");
    await dashboard.hub.audit.flush();
    const page = await dashboard.open("/audit");
    await page.getByText("3 calls").waitFor();
    await page.getByLabel("Agent").selectOption("other");
    await page.getByText("2 calls").waitFor();
    await page.getByLabel("Outcome").selectOption("unknown_tool");
    await page.getByText("1 call", { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe("?agent=other&outcome=unknown_tool");
    await page.reload();
    await page.getByRole("row", { name: /no_such_tool/ }).waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export" }).click();
    const lines = (await readFile(await (await download).path(), "utf8")).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).requested)).toEqual(["no_such_tool"]);
    await page.getByLabel("Find by tool name").fill("zzz");
    await page.getByText("No matching calls").waitFor();
  });
});
