import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";

describe.skipIf(withoutDashboard)("the rules page", { timeout: 90_000 }, () => {
  it("a rule is written in words, checked while it is typed, tested against recent calls, and counts", async () => {
    await using dashboard = await testDashboard({ agents: { main: [] } });
    await dashboard.call("think", { thought: "before" }, "main");
    await dashboard.hub.audit.flush();
    const page = await dashboard.open("/rules");
    await page.getByRole("button", { name: "Add rule" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("radio", { name: "Deny" }).check();
    await dialog.getByLabel("Tools", { exact: true }).fill("think");
    await dialog.getByText("1 tool: think").waitFor();
    await dialog.getByLabel("Calls", { exact: true }).selectOption("argument");
    await dialog
      .getByText(/Expected/)
      .first()
      .waitFor();
    expect(await dialog.getByRole("button", { name: "Add rule" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Argument name").fill("thought");
    await dialog.getByLabel("Patterns").fill("bef*");
    await dialog
      .getByText("Never let any agent call think, when the argument thought matches bef*.")
      .waitFor();
    await dialog.getByRole("button", { name: "Test against recent calls" }).click();
    await dialog.getByText("1 of the last 1 calls would be decided differently").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.reload();
    await dialog.getByText("Never let any agent call think").waitFor();
    await dialog.getByRole("button", { name: "Add rule" }).click();
    await page.getByRole("complementary").getByText("Added here by owner").waitFor();
    expect((await dashboard.call("think", { thought: "before" }, "main")).outcome).toBe("denied");
    expect((await dashboard.call("think", { thought: "after" }, "main")).outcome).toBe("ok");
    expect(dashboard.complaints).toEqual([]);
  });
});
