import { describe, it } from "vitest";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";

describe.skipIf(withoutDashboard)("the vault page", { timeout: 90_000 }, () => {
  it("shows what else uses a secret, and who waits for one", async () => {
    await using dashboard = await testDashboard({ agents: { main: [] } });
    await dashboard.hub.vault.put("TOKEN", "some-long-token");
    await dashboard.api("POST", "/servers", {
      name: "remote",
      url: "http://127.0.0.1:9/mcp",
      headers: { authorization: "Bearer {{secret:TOKEN}}" },
    });
    const { hub, caller } = dashboard;
    const asking = new AbortController();
    const asked = hub.callTool({
      name: "prompt_secret",
      arguments: { name: "OTHER", reason: "for the API" },
      caller: caller("main"),
      via: "library",
      signal: asking.signal,
    });
    const page = await dashboard.open("/vault/TOKEN");
    await page.getByRole("complementary").getByText("server remote").waitFor();
    await page
      .getByRole("list", { name: /waiting for a secret/ })
      .getByText("OTHER")
      .waitFor();
    await page.getByRole("link", { name: "Review" }).click();
    await page.getByLabel("Value", { exact: true }).waitFor();
    asking.abort();
    await asked;
  });
});
