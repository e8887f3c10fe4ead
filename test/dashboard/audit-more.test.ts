import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";

describe.skipIf(withoutDashboard)("the audit page", { timeout: 90_000 }, () => {
  it("shows calls as they are recorded, and holds them back while somebody reads further down", async () => {
    await using dashboard = await testDashboard({ agents: { main: [] } });
    for (let at = 0; at < 80; at++) await dashboard.call("think", { thought: `early ${at}` }, "main");
    await dashboard.hub.audit.flush();
    const page = await dashboard.open("/audit");
    await page.getByText("80 calls").waitFor();
    await dashboard.call("list_directory", {}, "main");
    await page.getByRole("row", { name: /list_directory/ }).waitFor();

    const list = page.getByRole("region", { name: "Calls" });
    await list.evaluate((region) => region.scrollTo({ top: 900 }));
    const shown = await list.evaluate((region) => region.scrollTop);
    const before = await page.getByRole("row").nth(5).textContent();
    await dashboard.call("list_tasks", {}, "main");
    await page.getByRole("button", { name: "1 new" }).waitFor();
    expect(await list.evaluate((region) => region.scrollTop)).toBe(shown);
    expect(await page.getByRole("row").nth(5).textContent()).toBe(before);
    await page.getByRole("button", { name: "1 new" }).click();
    await page.getByRole("row").nth(1).getByRole("link", { name: "list_tasks" }).waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  it("shows one call in full, where its time went, and what the rules say to it now", async () => {
    await using dashboard = await testDashboard({ agents: { main: [] } });
    const { callId } = await dashboard.call("read_file", { path: "<b>nowhere</b>" }, "main");
    await dashboard.hub.audit.flush();
    const page = await dashboard.open(`/audit/${callId}`);
    const panel = page.getByRole("complementary");
    await panel.getByText("Run the tool").waitFor();
    await panel.getByRole("region", { name: "Arguments" }).getByText("<b>nowhere</b>").waitFor();
    await panel.getByText("No rule matched").waitFor();
    await panel.getByText("Program that embeds Toolkeep").waitFor();
    await page.getByRole("columnheader", { name: "Agent" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await panel.getByRole("link", { name: "Test against rules" }).click();
    await page.getByText("This call would run").waitFor();
    await page.goBack();
    await panel.getByText("Run the tool").waitFor();
    await page.goto(`${dashboard.url}/audit/call_none`);
    await page.getByText("There is no call call_none").waitFor();

    await dashboard.api("POST", "/rules", {
      permission: "think",
      action: "allow",
      pattern: { "arg.thought": "x*" },
    });
    const ruled = await dashboard.call("think", { thought: "xy" }, "main");
    await dashboard.hub.audit.flush();
    await page.goto(`${dashboard.url}/audit/${ruled.callId}`);
    await panel.getByText("The audit log does not store results").waitFor();
    await panel
      .getByRole("link", { name: "Let any agent call think, when the argument thought matches x*." })
      .click();
    await page.getByRole("heading", { name: "Rules", level: 1 }).waitFor();
    await panel.getByText("Added here").waitFor();
  });

  it("shows what people did, and checks that everything is as it was written", async () => {
    await using dashboard = await testDashboard({ agents: { main: [] } });
    await dashboard.api("POST", "/rules", { permission: "think", action: "deny" });
    const page = await dashboard.open("/audit?view=actions");
    await page
      .getByRole("row", { name: /Added a rule/ })
      .first()
      .getByRole("link")
      .click();
    await page.getByRole("dialog").getByText("POST /api/rules").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close", exact: true }).first().click();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("link", { name: "Integrity" }).click();
    await page.getByRole("button", { name: "Check now" }).click();
    await page.getByText("All records are intact").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });
});
