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
});
