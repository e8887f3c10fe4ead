import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { type TestDashboard, testDashboard, withoutDashboard } from "../support/dashboard.ts";

const ASKS = { rules: [{ permission: "think", action: "ask" as const }], agents: { main: [] } };

/** A call whose caller waits for the person. */
function waiting({ hub, caller }: TestDashboard, thought: string) {
  return hub.callTool({
    name: "think",
    arguments: { thought },
    caller: caller("main"),
    via: "library",
    onProgress: () => {},
  });
}

const row = (page: Page, name: string | RegExp) => page.getByRole("row", { name });

describe.skipIf(withoutDashboard)("the approvals page", () => {
  it("a call that waits is approved by clicking, runs, and is in the audit with who approved it", async () => {
    await using dashboard = await testDashboard(ASKS);
    const page = await dashboard.open("/approvals");
    await page.getByText("All caught up").waitFor();
    const running = waiting(dashboard, "first");
    await row(page, /think/).getByRole("link").click();
    await page.getByText("May main call think?").waitFor();
    await page.getByText("This agent has not called this tool before").waitFor();
    await page.getByRole("button", { name: "Allow once" }).click();
    expect((await running).outcome).toBe("ok");
    await page.getByText("All caught up").waitFor();

    await page.getByRole("link", { name: "Audit", exact: true }).click();
    await row(page, /think/).first().getByRole("link").click();
    await page.getByRole("complementary").getByText("owner", { exact: true }).waitFor();
    await page.getByRole("list", { name: "Phases of the call" }).getByText("Wait for a person").waitFor();
    expect(dashboard.complaints).toEqual([]);
  });
});
