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
    await page.getByText("A copy of the previous file is kept").waitFor();
    expect(dashboard.hub.settings.shell.timeoutMs).toBe(7_000);
    expect(await seriousFindings(page)).toEqual([]);
    await panel.getByRole("button", { name: "Use default" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Use default" }).click();
    await page.getByText("Saved").last().waitFor();
    await expect.poll(() => dashboard.hub.settings.shell.timeoutMs).not.toBe(7_000);
    expect(dashboard.complaints).toEqual([]);
  });
});
