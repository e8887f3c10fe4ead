import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { inDeep } from "../support/length.ts";

describe.skipIf(withoutDashboard)("the agents page", { timeout: 90_000 }, () => {
  it("makes an agent, shows what it would have, and leads to its tokens", async () => {
    await using dashboard = await testDashboard();
    const page = await dashboard.open("/agents");
    await page.getByText("No agents yet").waitFor();
    await page.getByRole("link", { name: "Create agent" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("fresh");
    await page.getByRole("checkbox", { name: /^research/ }).check();
    const changes = page.getByRole("region", { name: "What will change" });
    await changes.getByText("toolbox research", { exact: false }).first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.waitForURL(`${dashboard.url}/agents/fresh?tab=tokens`);
    expect(dashboard.hub.identity.agent("fresh").toolboxes).toEqual(["research"]);
    expect(dashboard.complaints).toEqual([]);
  });

  it("shows a token once, with what to write into each client, and revokes it after asking", async () => {
    await using dashboard = await testDashboard({ agents: { main: [] } });
    const page = await dashboard.open("/agents/main?tab=tokens");
    await page.getByRole("button", { name: "Create token" }).click();
    await page.getByLabel("Label").fill("Laptop");
    await page.getByLabel("Expires").selectOption("After 30 days");
    await page.getByRole("checkbox", { name: /can approve single calls/ }).check();
    await page.reload();
    expect(await page.getByLabel("Label").inputValue()).toBe("Laptop");
    await page.getByRole("dialog").getByRole("button", { name: "Create token" }).click();
    const shown = page.getByRole("dialog");
    const token = (await shown.getByRole("region", { name: "Token" }).textContent())!;
    expect(token).toMatch(/^tk_sk_/);
    await shown.getByLabel("Client", { exact: true }).selectOption("Codex");
    const snippet = await shown.getByRole("region", { name: "Snippet for Codex" }).textContent();
    expect(snippet).toContain(`Bearer ${token}`);
    expect(snippet).toContain("[mcp_servers.toolkeep");
    expect(await seriousFindings(page)).toEqual([]);
    expect(page.url()).not.toContain("tk_sk");
    const kept = await page.evaluate("JSON.stringify([{ ...sessionStorage }, { ...localStorage }])");
    expect(kept).not.toContain(token);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Close without" }).getByRole("button", { name: "Cancel" }).click();
    expect(await shown.getByRole("region", { name: "Token" }).textContent()).toBe(token);
    await shown.getByRole("button", { name: "Done" }).click();
    await page.reload();
    await page.getByText("Laptop").waitFor();
    expect(await page.content()).not.toContain(token);

    expect(dashboard.hub.identity.authenticate(token)).toMatchObject({ kind: "agent", interactive: true });
    await page.getByRole("button", { name: "Revoke Laptop" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("No tokens yet", { exact: false }).waitFor();
    expect(dashboard.hub.identity.authenticate(token)).toBe("unknown");
  });

  inDeep("works on a phone, and lets viewers only look", async () => {
    await using dashboard = await testDashboard({ agents: { main: ["all"] } });
    await dashboard.api("POST", "/people", { name: "vera", role: "viewer" });
    const context = { viewport: { width: 390, height: 800 } };
    const page = await dashboard.open("/agents/main?tab=access", { person: "vera", context });
    await page.getByText("Only admins can change this.").waitFor();
    expect(await page.getByRole("link", { name: "Create agent" }).count()).toBe(0);
    expect(await page.getByRole("checkbox", { name: /^all/ }).isDisabled()).toBe(true);
    const width = await page.evaluate("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(390);
    expect(await seriousFindings(page)).toEqual([]);
  });
});
