import { describe, expect, it } from "vitest";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";

describe.skipIf(withoutDashboard)("the notifications page", () => {
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
