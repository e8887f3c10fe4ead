import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { projectsOf } from "../support/project-stores.ts";

describe.skipIf(withoutDashboard)("the tasks page", { timeout: 90_000 }, () => {
  it("makes a project with a ticket and a note, and another browser sees what becomes of the ticket", async () => {
    await using dashboard = await testDashboard({ agents: { coder: [] } });
    const page = await dashboard.open("/tasks/tickets");
    await page.getByRole("link", { name: "Create project" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Tool keeper");
    await page.getByRole("button", { name: "Create project" }).click();
    const panel = page.getByRole("complementary");
    await panel.getByRole("button", { name: "Add note" }).click();
    await page.getByLabel("Title").fill("Where it runs");
    await page.getByLabel("Note", { exact: true }).fill("On the small machine.");
    await page.getByRole("dialog").getByRole("button", { name: "Add note" }).click();
    await panel.getByText("Where it runs").click();
    await panel.getByText("On the small machine.").waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    await panel.getByRole("link", { name: "View tickets (0)" }).click();
    await page.getByRole("link", { name: "Create ticket" }).first().click();
    await page.getByLabel("Title").fill("Names are cut");
    await page.getByRole("dialog").getByLabel("Agent").selectOption("coder");
    await page.getByRole("button", { name: "Create ticket" }).click();
    await page.waitForURL(/\/tasks\/tickets\/TK-1\?project=TK$/);
    const other = await dashboard.open("/tasks/tickets");
    await other.getByRole("row", { name: /TK-1 Names are cut Open/ }).waitFor();
    await panel.getByLabel("Status").selectOption("in_progress");
    await other.getByRole("row", { name: /TK-1 Names are cut In progress/ }).waitFor();
    await panel.getByLabel("Comment", { exact: true }).fill("Since <i>when</i>?");
    await panel.getByRole("button", { name: "Comment" }).click();
    await panel.getByRole("listitem").getByText("Since <i>when</i>?").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(await projectsOf(dashboard.hub).tickets.get("TK-1")).toMatchObject({
      assignee: "coder",
      status: "in_progress",
      comments: 1,
    });
    expect(dashboard.complaints).toEqual([]);
  });
});
