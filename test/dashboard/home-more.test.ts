import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { connectClient } from "../support/connect-client.ts";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { putEmptyStore } from "../support/store-template.ts";
import { tempHome } from "../support/temp-home.ts";
import { fixture } from "../support/upstream.ts";

describe.skipIf(withoutDashboard)("the home page", { timeout: 90_000 }, () => {
  it("tells a new installation what to do first, and goes there", async () => {
    await using dashboard = await testDashboard();
    const page = await dashboard.open();
    const steps = page.getByRole("region", { name: "Get started" });
    await steps.getByRole("link", { name: "Create agent" }).waitFor();
    await page.getByText("All caught up.").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await steps.getByRole("link", { name: "Add server" }).click();
    await page.getByRole("dialog", { name: "Add server" }).waitFor();
    await page.goto(`${dashboard.url}/`);
    await steps.getByRole("link", { name: "Create agent" }).click();
    await page.getByRole("heading", { name: "Create agent" }).waitFor();

    await dashboard.api("POST", "/servers", { name: "echo", ...fixture("echoes") });
    await dashboard.api("POST", "/agents", { name: "main", toolboxes: ["code"] });
    await page.goto(`${dashboard.url}/`);
    await steps.getByRole("link", { name: "Connect" }).click();
    await page.getByRole("dialog", { name: "Create token" }).waitFor();
    // A client that came once has come, though no call was made since the daemon started.
    const { token } = await dashboard.api<{ token: string }>("POST", "/tokens", { agent: "main" });
    await using connected = await connectClient(dashboard.url, token);
    await connected.client.listTools();
    await page.goto(`${dashboard.url}/`);
    await page.getByRole("heading", { name: "Last hour" }).waitFor();
    await expect
      .poll(async () => {
        await page.reload();
        await page.getByRole("heading", { name: "Now", exact: true }).waitFor();
        return steps.count();
      })
      .toBe(0);
  });

  it("shows a server that failed before a restart as failed, here and in the list, with the reason", async () => {
    await using home = await tempHome();
    await putEmptyStore(home.path);
    {
      await using before = await testDashboard({ home: home.path });
      await before.api("POST", "/servers", { name: "gone", ...fixture("exits at once"), wait: true });
    }
    await using dashboard = await testDashboard({ home: home.path });
    const page = await dashboard.open();
    await page.getByRole("link", { name: "gone failed" }).waitFor();
    await page
      .getByRole("region", { name: "Servers" })
      .getByRole("link", { name: /Failed/ })
      .click();
    const row = page.getByRole("row", { name: /^gone/ });
    await row.getByText("Failed").waitFor();
    await row.getByText("the configuration file is missing").waitFor();
    expect(await row.getByText("Idle").count()).toBe(0);
  });
});
