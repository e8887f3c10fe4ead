import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { EVERYTHING } from "../support/test-hub.ts";
import { waitUntil } from "../support/wait-until.ts";

describe.skipIf(withoutDashboard)("the agents page", { timeout: 90_000 }, () => {
  it("shows where each tool comes from, what the list costs and what search saves", async () => {
    await using dashboard = await testDashboard({
      servers: { every: EVERYTHING },
      toolboxes: { every: ["mcp:every:*"] },
      agents: { main: ["all", "every"] },
      settings: { deferred_loading: true },
      rules: [{ permission: "http_request", action: "deny" }],
    });
    await waitUntil("tools are there", async () => dashboard.hub.catalog.get("mcp_every_echo") !== undefined);
    const page = await dashboard.open("/agents/main");
    await page.getByText("in every prompt", { exact: false }).waitFor();
    await page.getByText("Hidden by a rule", { exact: false }).waitFor();
    await page.getByLabel("Find a tool").fill("echo");
    const echo = page.getByRole("link", { name: /mcp_every_echo/ });
    await echo.waitFor();
    expect(await echo.textContent()).toContain("deferred");
    expect(await echo.textContent()).toContain("toolbox every (mcp:every:*)");
    expect(await seriousFindings(page)).toEqual([]);
    await echo.click();
    await page.waitForURL(`${dashboard.url}/tools/mcp_every_echo`);
  });

  it("gives a tool by search after showing what changes, and keeps the draft over a reload", async () => {
    await using dashboard = await testDashboard({ agents: { main: [] } });
    const page = await dashboard.open("/agents/main?tab=access");
    const search = page.getByRole("combobox", { name: /Grant a tool/ });
    await search.fill("send an HTTP request");
    await page.getByRole("option", { name: /^http_request/ }).waitFor();
    await search.press("Enter");
    await page.reload();
    const changes = page.getByRole("region", { name: "What will change" });
    await changes.getByText("granted by name", { exact: false }).waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved").waitFor();
    expect(dashboard.hub.identity.agent("main").grants).toEqual(["http_request"]);
    await changes.waitFor({ state: "detached" });
  });
});
