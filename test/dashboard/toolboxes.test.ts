import { describe, expect, it } from "vitest";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";

describe.skipIf(withoutDashboard)("the toolboxes page", () => {
  it("composes a toolbox by search, with keys alone, and keeps it over a reload", async () => {
    await using dashboard = await testDashboard();
    const page = await dashboard.open("/toolboxes");
    await page.getByRole("link", { name: "Create toolbox" }).click();
    await page.getByLabel("Name", { exact: true }).fill("reading");
    const search = page.getByRole("combobox", { name: /Add tools/ });
    await search.fill("read a file");
    await page.getByRole("option", { name: /^read_file/ }).waitFor();
    await search.press("Enter");
    await search.press("ArrowDown");
    await search.press("Escape");
    await search.fill("search in files");
    await page.getByRole("option", { name: /^grep/ }).waitFor();
    await page.getByRole("option", { name: /^grep/ }).click();
    await page.getByText("Contains 2 tools now").waitFor();
    await page.reload();
    await page.getByText("Contains 2 tools now").waitFor();
    await page.getByRole("button", { name: "Create toolbox" }).click();
    await page.waitForURL(`${dashboard.url}/toolboxes/reading`);
    expect(dashboard.hub.catalog.toolboxes.get("reading").tools).toEqual(["grep", "read_file"]);
    expect(dashboard.complaints).toEqual([]);
  });
});
