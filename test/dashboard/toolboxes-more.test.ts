import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { waitUntil } from "../support/wait-until.ts";

describe.skipIf(withoutDashboard)("the toolboxes page", () => {
  it("shows who gains and loses what before it is saved", async () => {
    await using dashboard = await testDashboard({
      toolboxes: { web: ["http_request", "no_such_tool"] },
      agents: { main: ["web"], other: [] },
    });
    const page = await dashboard.open("/toolboxes/web");
    await page.getByText("no tool has this name").waitFor();
    await page.getByRole("button", { name: "Remove http_request" }).click();
    const search = page.getByRole("combobox", { name: /Add tools/ });
    await search.fill("list_secrets");
    await page.getByRole("option", { name: /^list_secrets/ }).waitFor();
    await search.press("Enter");
    const changes = page.getByRole("region", { name: "What will change" });
    await changes.getByText("− 1 tool").waitFor();
    await changes.getByText("+ 1 tool").waitFor();
    expect(await changes.textContent()).toContain("main");
    expect(await changes.textContent()).not.toContain("other");
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved").waitFor();
    expect(dashboard.hub.catalog.toolboxes.get("web").tools).toEqual(["list_secrets", "no_such_tool"]);
  });

  it("refuses what somebody else has changed meanwhile, and loses nothing", async () => {
    await using dashboard = await testDashboard({ toolboxes: { web: ["http_request"] } });
    const page = await dashboard.open("/toolboxes/web");
    await page.getByLabel("Description").fill("mine");
    await dashboard.api("PATCH", "/toolboxes/web", { description: "theirs" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Somebody else changed this", { exact: false }).waitFor();
    expect(await page.getByLabel("Description").inputValue()).toBe("mine");
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
    const field = page.getByLabel("Description");
    await waitUntil("theirs is shown", async () => (await field.inputValue()) === "theirs");
  });

  it("says what will happen before one is deleted; built-in ones cannot be", async () => {
    await using dashboard = await testDashboard({
      toolboxes: { web: ["http_request"] },
      agents: { main: ["web"] },
    });
    const page = await dashboard.open("/toolboxes/web");
    await page.getByRole("button", { name: "More actions for web" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    const asked = page.getByRole("dialog");
    expect(await asked.textContent()).toContain(
      "lose the tools that only this toolbox contains, even in running conversations: main.",
    );
    await asked.getByRole("button", { name: "Delete" }).click();
    await page.waitForURL(`${dashboard.url}/toolboxes`);
    expect(dashboard.hub.catalog.toolboxes.byName.has("web")).toBe(false);
    await page.getByRole("link", { name: "scout" }).click();
    await page.getByText("You cannot change it", { exact: false }).waitFor();
    expect(await page.getByRole("button", { name: "More actions for" }).count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
  });
});
