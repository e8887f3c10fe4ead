import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";

describe.skipIf(withoutDashboard)("the settings page", { timeout: 90_000 }, () => {
  it("a setting says where it comes from, refuses what is wrong, and is changed at once", async () => {
    await using dashboard = await testDashboard({ settings: { shell: { timeout_ms: 5_000 } } });
    const page = await dashboard.open("/settings");
    await page.getByLabel("Find a setting").fill("shell.timeout");
    await page
      .getByRole("row", { name: /shell.timeout_ms/ })
      .getByRole("link")
      .click();
    const panel = page.getByRole("complementary");
    await panel.getByText("Your file").waitFor();
    await panel.getByLabel("New value").fill("0");
    await panel.getByRole("button", { name: "Save" }).click();
    await panel
      .getByRole("alert")
      .getByText(/whole number from 1/)
      .waitFor();
    await panel.getByLabel("New value").fill("7000");
    await panel.getByRole("button", { name: "Save" }).click();
    await page.getByText("a copy of the file as it was is kept").waitFor();
    expect(dashboard.hub.settings.shell.timeoutMs).toBe(7_000);
    expect(await seriousFindings(page)).toEqual([]);
    await panel.getByRole("button", { name: "Use the default" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Use the default" }).click();
    await page.getByText("Saved").last().waitFor();
    await expect.poll(() => dashboard.hub.settings.shell.timeoutMs).not.toBe(7_000);
    expect(dashboard.complaints).toEqual([]);
  });

  it("checks this installation and says what it is", async () => {
    await using dashboard = await testDashboard();
    const page = await dashboard.open("/settings?view=health");
    await page.getByRole("button", { name: "Check again" }).waitFor();
    await page.getByRole("list", { name: "What was looked at" }).getByText("SQLite can be written").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("link", { name: "About and backup" }).click();
    await page.getByText("1.2.3").waitFor();
    await page.getByText("config.json").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Save a backup here" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("dialog").getByRole("button", { name: "Save a backup" }).click();
    const saved = JSON.parse(await readFile(await (await download).path(), "utf8"));
    expect(saved.format).toBe("toolkeep-backup");
    await page.goto(`${dashboard.url}/settings/no.such`);
    await page.getByText("There is no setting no.such").waitFor();
  });

  it("a viewer changes nothing", async () => {
    await using dashboard = await testDashboard();
    await dashboard.hub.people.add("vera", "viewer");
    const page = await dashboard.open("/settings/shell.timeout_ms", { person: "vera" });
    await page.getByRole("heading", { name: "shell.timeout_ms" }).waitFor();
    expect(await page.getByLabel("New value").count()).toBe(0);
    await page.getByRole("link", { name: "About and backup" }).click();
    await page.getByText("1.2.3").waitFor();
    expect(await page.getByRole("button", { name: /backup/ }).count()).toBe(0);
  });
});
