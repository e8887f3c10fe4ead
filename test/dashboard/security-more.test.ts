import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { TURNING } from "../support/turning.ts";

const PUBLISHING = (file: string) => ({
  command: process.execPath,
  args: [join(import.meta.dirname, "../support/servers/publishing.mjs"), file],
});

describe.skipIf(withoutDashboard)("the dashboard in a hostile browser", () => {
  it("shows a megabyte as text and goes on answering", async () => {
    await using dashboard = await testDashboard({ agents: { worker: [] } });
    const megabyte = `<b>begins</b>${"\u202e<i>x</i>".repeat(100_000)}`;
    const file = join(dashboard.home, "published.json");
    // The longest that is taken from a server.
    const description = `<b>begins</b>${"<i>x</i> ".repeat(4_400)}`;
    await writeFile(
      file,
      JSON.stringify({ tools: [{ name: "long", description, inputSchema: { type: "object" } }] }),
    );
    await dashboard.api("POST", "/servers", { name: "hostile", ...PUBLISHING(file), wait: true });
    const { callId } = await dashboard.call("think", { thought: megabyte }, "worker");
    await dashboard.hub.audit.flush();
    const page = await dashboard.open("/tools/mcp_hostile_long");
    await page.getByRole("complementary").getByText("<b>begins</b>").first().waitFor();
    expect(await page.evaluate(TURNING)).toEqual([]);
    await page.goto(`${dashboard.url}/audit/${callId}`);
    await page.getByRole("complementary").getByText("<b>begins</b>").first().waitFor();
    expect(await page.evaluate(TURNING)).toEqual([]);
    expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(5_000);
    expect(await page.locator("main b, main i").count()).toBe(0);
    expect(dashboard.complaints).toEqual([]);
  }, 60_000);
});
