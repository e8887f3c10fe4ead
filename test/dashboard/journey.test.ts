import { describe, expect, it } from "vitest";
import { launchBrowser, testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { fixture } from "../support/upstream.ts";

describe.skipIf(withoutDashboard)("from a new server to a call in the audit, by clicking", () => {
  it("adds, tests, approves, grants, calls, is asked, says yes, and finds it in the audit", async () => {
    await using dashboard = await testDashboard({
      agents: { worker: [] },
      rules: [{ permission: "mcp:clicked:*", action: "ask" }],
    });
    // An agent brought one, which waits.
    await dashboard.hub.upstream.add("brought", fixture("echoes"), { addedBy: "worker" });
    const browser = await launchBrowser();
    try {
      const page = await dashboard.open(browser);
      await dashboard.api("POST", "/people", { name: "eve", role: "operator" });
      const other = await dashboard.open(browser, "/approvals", { person: "eve" });
      const { command, args } = fixture("echoes");

      await page.getByRole("link", { name: "Servers", exact: true }).click();
      await page.getByRole("link", { name: "Add a server" }).click();
      await page.getByLabel("Name", { exact: true }).fill("clicked");
      await page.getByLabel("Command").fill(command!);
      await page.getByLabel("Arguments").fill(args!.join("\n"));
      await page.getByRole("button", { name: "Test" }).click();
      await page.getByText("It works: 1 tools").waitFor();
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByRole("complementary").getByText("Ready").waitFor();

      await page.getByRole("link", { name: "brought", exact: true }).click();
      await page.getByRole("button", { name: "Approve" }).click();
      await page.getByRole("complementary").getByText("Ready").waitFor();

      await page.getByRole("link", { name: "Agents", exact: true }).click();
      await page.getByRole("link", { name: "worker", exact: true }).click();
      await page.getByRole("link", { name: "What it is given" }).click();
      const picker = page.getByRole("combobox", { name: /Give it a tool/ });
      await picker.fill("mcp_clicked_echo");
      await page.getByRole("option", { name: /^mcp_clicked_echo/ }).waitFor();
      await picker.press("Enter");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved").waitFor();
      expect(dashboard.hub.identity.agent("worker").grants).toEqual(["mcp_clicked_echo"]);

      await page.keyboard.press("Control+k");
      await page.getByLabel("Find a page, server, tool or agent").fill("mcp_clicked_echo");
      await page.getByRole("option", { name: "mcp_clicked_echo tool" }).click();
      await page.getByRole("link", { name: "Try it" }).click();
      await page.getByLabel("Call as").selectOption("worker");
      await page.getByRole("button", { name: "Call it" }).click();

      // The call waits. Somebody else, in another browser, sees it come and says yes.
      await other.getByRole("link", { name: /mcp_clicked_echo/ }).click();
      await other.getByRole("button", { name: "Allow once" }).click();
      await other.getByText("Nothing waits for you").waitFor();
      await page.getByText("It worked").first().waitFor();

      await page.getByRole("link", { name: "In the audit" }).click();
      await page.getByRole("heading", { name: "Audit", level: 1 }).waitFor();
      await page.getByRole("complementary").getByText("worker").first().waitFor();
      expect(page.url()).toMatch(/\/audit\/\w+/);
      expect(dashboard.complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  }, 120_000);
});
