import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";

describe.skipIf(withoutDashboard)("the vault page", { timeout: 90_000 }, () => {
  it("a secret is set, bound, given another value and deleted, and its value never comes back", async () => {
    await using dashboard = await testDashboard({ agents: { main: [], other: [] } });
    const page = await dashboard.open("/vault");
    const answers: string[] = [];
    page.on(
      "response",
      (response) =>
        void response.text().then(
          (text) => answers.push(text),
          () => {},
        ),
    );
    await page.getByText("The vault is empty").waitFor();
    await page.getByRole("button", { name: "Add secret" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("api_key");
    await dialog.getByLabel("Value", { exact: true }).fill("hunter22-hunter22");
    await dialog.getByLabel("Tools that can receive it").fill("http_request");
    await dialog.getByLabel("Hosts that those calls can reach").fill("api.example.com");
    await dialog.getByRole("checkbox", { name: "All agents" }).uncheck();
    await dialog.getByRole("checkbox", { name: "main" }).check();
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Add secret" }).click();
    await page.getByRole("heading", { name: "API_KEY" }).waitFor();
    expect(await dashboard.hub.vault.read("API_KEY")).toEqual({ ok: true, value: "hunter22-hunter22" });
    expect(dashboard.hub.vault.list()[0]?.bindings).toMatchObject({
      tools: ["http_request"],
      hosts: ["api.example.com"],
      agents: [dashboard.hub.identity.agent("main").id],
    });

    await page.getByRole("button", { name: "Edit access" }).click();
    await page.getByLabel("Hosts that those calls can reach").fill("b.example.com, c.example.com");
    await page.reload();
    await page.getByRole("checkbox", { name: "All agents" }).check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("complementary").getByText("b.example.com, c.example.com").waitFor();
    expect(dashboard.hub.vault.list()[0]?.bindings).toMatchObject({ agents: null });

    await page.getByRole("button", { name: "Replace value" }).click();
    await page.getByLabel("Value", { exact: true }).fill("another-value-22");
    await page.getByRole("dialog").getByRole("button", { name: "Replace value" }).click();
    await page.getByText("Value replaced").waitFor();
    expect(await dashboard.hub.vault.read("API_KEY")).toEqual({ ok: true, value: "another-value-22" });
    expect(dashboard.hub.vault.list()[0]?.bindings.hosts).toEqual(["b.example.com", "c.example.com"]);
    expect(await seriousFindings(page)).toEqual([]);

    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByText("This cannot be undone").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("The vault is empty").waitFor();
    expect(answers.join("\n")).not.toMatch(/hunter22|another-value/);
    expect(await page.evaluate("JSON.stringify({ ...sessionStorage, ...localStorage })")).not.toContain(
      "hunter",
    );
    expect(dashboard.complaints).toEqual([]);
  });
});
