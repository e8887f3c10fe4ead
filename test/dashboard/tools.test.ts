import { describe, expect, it } from "vitest";
import { type TestDashboard, testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { EVERYTHING } from "../support/test-hub.ts";
import { waitUntil } from "../support/wait-until.ts";

const HOSTILE = `<img src=x onerror="document.title='owned'"> \u202eevil\u202c <script>window.owned = 1</script>`;

async function ready({ hub }: TestDashboard, tool: string) {
  await waitUntil(`${tool} is there`, async () => hub.catalog.get(tool) !== undefined);
}

describe.skipIf(withoutDashboard)("the tools page", { timeout: 90_000 }, () => {
  it("calls a tool with progress and shows what came back", async () => {
    await using dashboard = await testDashboard({ servers: { every: EVERYTHING }, agents: { main: [] } });
    await ready(dashboard, "mcp_every_echo");
    const long = dashboard.hub.catalog.all().find(({ ownName }) => /long-?running/i.test(ownName))!.name;
    const page = await dashboard.open(`/tools/${long}?tab=try`);
    await page.getByLabel(/^duration/).fill("0.6");
    await page.getByLabel(/^steps/).fill("3");
    await page.getByRole("button", { name: "Call tool" }).click();
    await page.getByText("Succeeded").waitFor();

    await page.goto(`${dashboard.url}/tools/mcp_every_echo?tab=try`);
    await page.getByRole("button", { name: "Call tool" }).click();
    await page.getByText("Required", { exact: true }).waitFor();
    await page.getByLabel("message").fill(HOSTILE);
    await page.reload();
    expect(await page.getByLabel("message").inputValue()).toBe(HOSTILE);
    await page.getByRole("button", { name: "Call tool" }).click();
    const answer = page.getByRole("region", { name: "Result part 1" });
    expect(await answer.textContent()).toContain("<script>window.owned = 1</script>");
    expect(await page.evaluate("window.owned")).toBeUndefined();
    expect(await page.title()).not.toBe("owned");

    await page.getByLabel("Call as").selectOption("main");
    await page.getByRole("button", { name: "Call tool" }).click();
    await page.getByText("Not granted", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Usage" }).click();
    await page.getByText("No agent has this tool.").waitFor();
    await page.getByText("Succeeded").waitFor();

    // What a tool can do is guessed from its definition; a person knows better.
    await page.goto(`${dashboard.url}/tools/mcp_every_echo`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("dialog").getByRole("checkbox", { name: "Runs programs" }).check();
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText("Edited by a person.").waitFor();
    expect(dashboard.hub.catalog.get("mcp_every_echo")!.capabilities).toContain("shell");
    expect(dashboard.complaints).toEqual([]);
  });
});
