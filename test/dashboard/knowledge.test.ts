import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { tempHome } from "../support/temp-home.ts";

describe.skipIf(withoutDashboard)("the page of knowledge", { timeout: 90_000 }, () => {
  it("adds a source after a test, reads it, and finds its words marked, as text", async () => {
    await using folder = await tempHome();
    await writeFile(
      join(folder.path, "errands.md"),
      "# Errands\n\nRemember the <b>milk</b> of `the` [shop](shop.md) on Tuesday.",
    );
    await writeFile(join(folder.path, "other.md"), "# Other\n\nNothing to see.");
    await using dashboard = await testDashboard();
    const page = await dashboard.open("/knowledge/sources");
    await page.getByRole("link", { name: "Add source" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("notes");
    await page.getByLabel("Path").fill(folder.path);
    await page.getByRole("button", { name: "Test" }).click();
    await page.getByText("2 files will be read").waitFor();
    await page.getByRole("button", { name: "Add source" }).click();
    await page.getByRole("heading", { name: "notes" }).waitFor();
    await page.getByRole("button", { name: "Sync", exact: true }).click();
    await page.getByRole("complementary").getByText("Up to date").waitFor({ timeout: 25_000 });
    expect(await seriousFindings(page)).toEqual([]);

    await page.getByRole("link", { name: "Search", exact: true }).click();
    await page.getByRole("searchbox").fill("milk");
    await page.locator("mark", { hasText: "milk" }).first().waitFor();
    await page.getByText("Remember the <b>milk</b> of the shop on Tuesday.").first().waitFor();
    await page.getByRole("link", { name: "Errands" }).click();
    await page.getByRole("complementary").getByText("on Tuesday").waitFor();
    expect(page.url()).toContain("/knowledge/documents/");
    expect(await seriousFindings(page)).toEqual([]);

    await page.goto(`${dashboard.url}/knowledge/sources/notes`);
    await page.getByRole("button", { name: "More actions for notes" }).click();
    await page.getByRole("menuitem", { name: "Disable" }).click();
    await page.getByRole("dialog").getByText("nobody can find its 2 documents").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
    await page.getByRole("complementary").getByText("Disabled").waitFor();
    expect(dashboard.complaints).toEqual([]);
  });
});
