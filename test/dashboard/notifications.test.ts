import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";

describe.skipIf(withoutDashboard)("the notifications page", () => {
  it("what an agent says appears at once and stays until it is dismissed, in every browser", async () => {
    await using dashboard = await testDashboard({ agents: { main: [] } });
    const [page, other] = [await dashboard.open("/notifications"), await dashboard.open("/notifications")];
    await page.getByText("No open notifications").waitFor();
    await dashboard.call("notify", { title: "<b>Done</b>", body: "all of it", level: "warning" }, "main");
    await page.getByRole("link", { name: "<b>Done</b>" }).click();
    await page.getByRole("complementary").getByText("all of it").waitFor();
    await page.reload();
    await page.getByRole("complementary").getByText("all of it").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await other.getByRole("link", { name: "<b>Done</b>" }).waitFor();
    await page.getByRole("button", { name: "Dismiss" }).click();
    await other.getByText("No open notifications").waitFor();
    await page.getByRole("link", { name: "Dismissed" }).click();
    await page.getByRole("link", { name: "<b>Done</b>" }).waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  it("leads to the server that it is about", async () => {
    await using dashboard = await testDashboard({ agents: { main: [] } });
    await dashboard.hub.upstream.add("added", { command: "false" }, { addedBy: "main" });
    const page = await dashboard.open("/notifications");
    await page.getByRole("link", { name: /added waits for approval/ }).click();
    await page.getByRole("link", { name: "Review server" }).click();
    await page.getByRole("heading", { name: "added" }).waitFor();
    // Nothing of it may run, so there is nothing to test; no is as near as yes.
    await page.getByText("The agent main added or changed this server").waitFor();
    expect(await page.getByRole("button", { name: "Test" }).count()).toBe(0);
    await page.getByRole("button", { name: "Reject and remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("No servers yet").waitFor();
    expect(dashboard.hub.upstream.servers()).toEqual([]);
    await page.goto(`${dashboard.url}/notifications/ntf_none`);
    await page.getByText("This notification was not found").waitFor();
  });
});
