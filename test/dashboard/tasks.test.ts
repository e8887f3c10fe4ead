import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { taskStores } from "../support/task-stores.ts";

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
    const [task] = await taskStores(dashboard.hub.store).tasks.list();
    await taskStores(dashboard.hub.store).tasks.update(task!.id, {
      status: "in_progress",
      note: "Half of it",
    });
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
    expect((await taskStores(dashboard.hub.store).tasks.get(task!.id))!.status).toBe("cancelled");
    await page.goto(`${dashboard.url}/tasks/given/tsk_none`);
    await page.getByText("there is no task tsk_none").waitFor();
    expect(dashboard.complaints).toEqual([]);
  });
});
