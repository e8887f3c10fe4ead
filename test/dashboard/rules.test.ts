import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { stopwatch } from "../support/stopwatch.ts";

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

  it("a viewer reads and tries rules, and has no button that changes one", async () => {
    await using dashboard = await testDashboard({ agents: { main: [] } });
    await dashboard.hub.people.add("vera", "viewer");
    const made = await dashboard.api<{ rule: { id: string } }>("POST", "/rules", {
      permission: "think",
      action: "deny",
    });
    const page = await dashboard.open(`/rules/${made.rule.id}`, { person: "vera" });
    await page.getByRole("button", { name: "Test recent calls without this rule" }).click();
    await page.getByText("No change: the last").waitFor();
    expect(await page.getByRole("button", { name: /Add rule|Edit|Remove/ }).count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
  });
});
