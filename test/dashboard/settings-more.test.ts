import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";

describe.skipIf(withoutDashboard)("the settings page", { timeout: 90_000 }, () => {
  it("checks this installation and says what it is", async () => {
    await using dashboard = await testDashboard();
    const page = await dashboard.open("/settings?view=health");
    await page.getByRole("button", { name: "Check again" }).waitFor();
    await page.getByRole("list", { name: "Checks" }).getByText("SQLite can be written").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("link", { name: "About and backup" }).click();
    await page.getByText("1.2.3").waitFor();
    await page.getByText("config.json").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Download backup" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("dialog").getByRole("button", { name: "Download backup" }).click();
    const saved = JSON.parse(await readFile(await (await download).path(), "utf8"));
    expect(saved.format).toBe("toolkeep-backup");
    await page.goto(`${dashboard.url}/settings/no.such`);
    await page.getByText("The setting no.such does not exist").waitFor();
  });
});
