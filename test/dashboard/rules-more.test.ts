import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { stopwatch } from "../support/stopwatch.ts";

describe.skipIf(withoutDashboard)("the rules page", { timeout: 90_000 }, () => {
  it("a rule is edited, shown without, and removed; another browser sees it within a second", async () => {
    await using dashboard = await testDashboard({ agents: { main: [] } });
    const made = await dashboard.api<{ rule: { id: string } }>("POST", "/rules", {
      permission: "think",
      action: "deny",
      agent: "main",
    });
    await dashboard.call("think", { thought: "x" }, "main");
    await dashboard.hub.audit.flush();
    const page = await dashboard.open(`/rules/${made.rule.id}`);
    const other = await dashboard.open("/rules");
    await page.getByRole("button", { name: "Test recent calls without this rule" }).click();
    await page.getByText("1 of the last 1 calls").waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("radio", { name: "Ask first" }).check();
    await page.getByRole("button", { name: "Save" }).click();
    const took = stopwatch();
    await other.getByText("Ask a person before main calls think.").waitFor();
    expect(took()).toBeLessThan(1_500);
    expect((await dashboard.call("think", { thought: "x" }, "main")).outcome).toBe("needs_approval");
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByText("no longer applies from the next call on").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("No rules yet").waitFor();
    await other.getByText("No rules yet").waitFor();
  });

  it("says what would become of a call, why, and what would change that", async () => {
    await using dashboard = await testDashboard({
      agents: { main: [] },
      rules: [{ permission: "write_file", action: "ask", pattern: { path: "/srv/**" } }],
    });
    const page = await dashboard.open("/rules?view=try");
    await page.getByLabel("Caller").selectOption("main");
    await page.getByLabel("Tool", { exact: true }).fill("change the contents of a file");
    await page.locator('datalist option[value="write_file"]').waitFor({ state: "attached" });
    await page.getByLabel("Tool", { exact: true }).fill("write_file");
    await page.getByLabel("Arguments", { exact: true }).fill('{"path": "/srv/a.txt", ');
    await page.getByText("Not valid JSON yet").waitFor();
    await page.getByLabel("Arguments", { exact: true }).fill('{"path": "/srv/a.txt", "content": "x"}');
    await page.reload();
    expect(await page.getByLabel("Tool", { exact: true }).inputValue()).toBe("write_file");
    await page.getByRole("button", { name: "Test call" }).click();
    await page.getByText("This call would need approval").waitFor();
    await page.getByText("Writes files").waitFor();
    await page.getByText("Rules that would change this").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.reload();
    await page.getByText("This call would need approval").waitFor();
    await page.getByRole("link", { name: "Add this rule" }).first().click();
    await page
      .getByRole("dialog")
      .getByText(/main.*write_file/)
      .waitFor();
  });
});
