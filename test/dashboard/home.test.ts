import { describe, it } from "vitest";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { fixture } from "../support/upstream.ts";

describe.skipIf(withoutDashboard)("the home page", { timeout: 90_000 }, () => {
  it("shows what needs attention and how calls go, as it happens", async () => {
    await using dashboard = await testDashboard({
      agents: { worker: [], quiet: [] },
      rules: [{ permission: "think", action: "ask" }],
    });
    await dashboard.api("POST", "/servers", { name: "gone", ...fixture("exits at once"), wait: true });
    const page = await dashboard.open();
    await page.getByRole("link", { name: "gone failed" }).waitFor();
    await page.getByText("the configuration file is missing").waitFor();
    await dashboard.call("no_such_tool");
    await dashboard.call("think", { thought: "so" }, "worker");
    await page.getByText("1 call needs your approval").waitFor();
    await page.getByText("2 in the last hour", { exact: true }).waitFor();
    await page.getByText("0 failed, 1 refused").waitFor();
    await dashboard.hub.audit.flush();
    const recent = page.getByRole("region", { name: "Recent activity" });
    await recent.getByRole("listitem").filter({ hasText: "think" }).getByText("worker").waitFor();
    const agents = page.getByRole("region", { name: "Agents" });
    await agents.getByRole("listitem").filter({ hasText: "worker" }).getByText("last seen").waitFor();
    await agents.getByRole("listitem").filter({ hasText: "quiet" }).getByText("never seen").waitFor();
    await page.getByRole("link", { name: "gone failed" }).click();
    await page.getByRole("heading", { name: "gone" }).waitFor();
  });
});
