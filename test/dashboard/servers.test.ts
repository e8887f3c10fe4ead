import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { fixture } from "../support/upstream.ts";

describe.skipIf(withoutDashboard)("the page of servers", { timeout: 90_000 }, () => {
  it("adds a server by a form, after a test whose steps are shown", async () => {
    await using dashboard = await testDashboard();
    const page = await dashboard.open("/servers");
    const { command, args } = fixture("echoes");
    await page.getByRole("link", { name: "Add server" }).first().click();
    expect(await page.evaluate("document.activeElement.tagName")).toBe("INPUT");
    await page.getByLabel("Name", { exact: true }).fill("echo");
    await page.getByLabel("Command").fill(command!);
    await page.getByLabel("Arguments").fill(args!.join("\n"));
    await page.getByRole("button", { name: "Add variable" }).click();
    await page.getByLabel("Name of variable 1").fill("TOKEN");
    await page.getByLabel("Value of TOKEN").fill("not-to-be-kept");
    expect(await seriousFindings(page)).toEqual([]);

    await page.getByRole("button", { name: "Test" }).click();
    await page.getByText("Connected: 1 tool in").waitFor();
    expect(await page.locator("[data-step=authenticate]").getAttribute("data-state")).toBe("not needed");
    expect(await page.locator("[data-step=list]").getAttribute("data-state")).toMatch(/ms|s$/);

    // What was typed outlives a reload, but for the value.
    await page.reload();
    expect(await page.getByLabel("Command").inputValue()).toBe(command);
    expect(await page.getByLabel("Value of TOKEN").inputValue()).toBe("");
    expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain("not-to-be-kept");

    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByRole("heading", { name: "echo", exact: true }).waitFor();
    await page.getByRole("complementary").getByText("Ready").waitFor();
    expect(page.url()).toBe(`${dashboard.url}/servers/echo`);
    expect(dashboard.hub.upstream.server("echo").envKeys).toEqual(["TOKEN"]);
    expect(dashboard.complaints).toEqual([]);
  });
});
