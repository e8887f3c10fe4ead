import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";

describe.skipIf(withoutDashboard)("the tasks page", { timeout: 90_000 }, () => {
  it("gives a sub-agent a task, shows how far it is as that changes, and cancels it after asking", async () => {
    await using dashboard = await testDashboard({ agents: { main: [] } });
    const page = await dashboard.open("/tasks");
    await page.getByText("Tasks are for sub-agents").waitFor();
    expect(await page.getByRole("link", { name: "Create sub-agent" }).getAttribute("href")).toBe(
      "/agents?new=yes",
    );
    await dashboard.api("POST", "/agents", { name: "helper", parent: "main" });
    await page.getByRole("link", { name: "Create task" }).first().click();
    await page.getByLabel("Title").fill("Count the <b>errors</b>");
    await page.getByLabel("Instructions").fill("In yesterday's log.");
    expect(await seriousFindings(page)).toEqual([]);
    await page.reload();
    expect(await page.getByLabel("Title").inputValue()).toBe("Count the <b>errors</b>");
    await page.getByRole("button", { name: "Create task" }).click();
    const panel = page.getByRole("complementary");
    await panel.getByText("In yesterday's log.").waitFor();
    await panel.getByText("Open", { exact: true }).waitFor();

    // The sub-agent says how far it is; the list and the details follow.
    const [task] = await dashboard.hub.store.tasks.list();
    await dashboard.hub.store.tasks.update(task!.id, { status: "in_progress", note: "Half of it" });
    dashboard.hub.events.emit("task.changed", { task: task!.id, agent: "helper", status: "in_progress" });
    await panel.getByText("In progress").waitFor();
    await panel.getByText("Half of it").waitFor();
    await page.getByRole("row", { name: /Count the <b>errors<\/b> In progress/ }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    await page.getByLabel("Status").selectOption("done");
    await page.getByText("No matching tasks").waitFor();
    await page.getByLabel("Status").selectOption("unfinished");
    await page.reload();
    await panel.getByRole("button", { name: "Cancel task" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("helper is told").waitFor();
    await dialog.getByRole("button", { name: "Cancel task" }).click();
    await panel.getByText("Cancelled").waitFor();
    expect((await dashboard.hub.store.tasks.get(task!.id))!.status).toBe("cancelled");
    await page.goto(`${dashboard.url}/tasks/given/tsk_none`);
    await page.getByText("there is no task tsk_none").waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

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
    expect(await dashboard.hub.projects.tickets.get("TK-1")).toMatchObject({
      assignee: "coder",
      status: "in_progress",
      comments: 1,
    });
    expect(dashboard.complaints).toEqual([]);
  });

  it("a viewer reads all of it, on a phone too, and has no button that changes anything", async () => {
    await using dashboard = await testDashboard({ agents: { coder: [] } });
    await dashboard.hub.people.add("vera", "viewer");
    await dashboard.hub.projects.create({ name: "Tool keeper" }, null);
    await dashboard.hub.projects.tickets.create("TK", { title: "Names are cut" }, null);
    const context = { viewport: { width: 390, height: 800 } };
    const page = await dashboard.open("/tasks/tickets/TK-1", { person: "vera", context });
    await page.getByRole("complementary").getByText("Open", { exact: true }).waitFor();
    expect(await page.getByRole("complementary").getByRole("combobox").count()).toBe(0);
    expect(await page.getByRole("button", { name: /Comment|More actions/ }).count()).toBe(0);
    expect(await page.getByRole("link", { name: /^Create / }).count()).toBe(0);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await page.goto(`${dashboard.url}/tasks/projects/TK`);
    await page.getByRole("complementary").getByText("Notes").first().waitFor();
    expect(await page.getByRole("button", { name: /Add note|More actions/ }).count()).toBe(0);
  });
});
