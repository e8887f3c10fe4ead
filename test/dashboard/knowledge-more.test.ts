import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";

describe.skipIf(withoutDashboard)("the page of knowledge", { timeout: 90_000 }, () => {
  it("shows what a memory says and said before, corrects it and takes it back", async () => {
    await using dashboard = await testDashboard({ agents: { worker: [] } });
    const { memory } = await dashboard.api<{ memory: { id: string } }>("POST", "/memories", {
      agent: "worker",
      key: "deploy day",
      text: "We deploy on Mondays.",
    });
    await dashboard.api("PATCH", `/memories/${memory.id}`, { text: "We deploy on Tuesdays." });
    const page = await dashboard.open("/knowledge/memories");
    await page.getByRole("link", { name: /We deploy on Tuesdays/ }).click();
    const panel = page.getByRole("complementary");
    await panel.getByText("We deploy on Mondays.").waitFor();
    await panel.getByRole("button", { name: "Edit", exact: true }).click();
    await panel.getByLabel("Text", { exact: true }).fill("We deploy on Wednesdays.");
    await page.reload();
    expect(await panel.getByLabel("Text", { exact: true }).inputValue()).toBe("We deploy on Wednesdays.");
    await panel.getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name: /We deploy on Wednesdays/ }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "More actions for this memory" }).click();
    await page.getByRole("menuitem", { name: "Retract" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Retract" }).click();
    await page.getByText("No memories yet").waitFor();
  });

  it("puts something into the inbox", async () => {
    await using dashboard = await testDashboard();
    const page = await dashboard.open("/knowledge/inbox");
    await page.getByText("Add a document", { exact: true }).click();
    await page.getByLabel("Title").fill("A thought");
    await page.getByLabel("Text", { exact: true }).fill("Worth keeping.");
    await page.getByRole("button", { name: "Add document" }).click();
    await page
      .getByRole("row", { name: /a-thought/i })
      .getByRole("link")
      .click();
    await page.waitForURL(/\/knowledge\?q=/);
  });
});
