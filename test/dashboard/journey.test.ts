import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { connectClient } from "../support/connect-client.ts";
import { signIn, withoutDashboard } from "../support/dashboard.ts";
import { tempHome } from "../support/temp-home.ts";
import { EVERYTHING } from "../support/test-hub.ts";
import { serve, toolkeepJson } from "../support/toolkeep.ts";

describe.skipIf(withoutDashboard)("from a new server to a call in the audit, by clicking", () => {
  it("a daemon's server is added, tested, approved, granted, called, asked about, let run and found", async () => {
    await using home = await tempHome();
    const at = { home: home.path };
    await using daemon = await serve(at);
    const complaints: string[] = [];
    const enter = async (path: string, ...command: string[]) => {
      const { url: link } = await toolkeepJson(at, ...command);
      return signIn({ link, url: daemon.url, path, complaints });
    };
    const page = await enter("/", "open");
    await using _ = page.context();
    await toolkeepJson(at, "person", "add", "eve", "--role", "operator");
    const other = await enter("/approvals", "person", "link", "eve");
    await using __ = other.context();

    const token = await makeAgent(page);
    await using connected = await connectClient(daemon.url, token);
    await addServer(page);

    // Another way of starting it, which an agent wants: nothing changes before an admin's yes.
    const change = { name: "update_mcp_server", arguments: { name: "every", env: { GREETING: "hello" } } };
    expect(await connected.client.callTool(change)).toMatchObject({ isError: true });
    const panel = page.getByRole("complementary");
    await page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: /^Approvals/ })
      .click();
    await page.getByRole("link", { name: /every/ }).first().click();
    await page.getByRole("button", { name: "Allow once" }).click();
    await page.getByText("All caught up").waitFor();
    expect((await connected.client.callTool(change)).isError ?? false).toBe(false);
    await go(page, "Servers");
    await page.getByRole("link", { name: "every", exact: true }).click();
    await panel.getByText("Ready").waitFor();

    await grantEcho(page);
    await writeRule(page);

    const call = { name: "mcp_every_echo", arguments: { message: "by clicking" } };
    expect(await connected.client.callTool(call)).toMatchObject({ isError: true });
    await other.getByRole("link", { name: /mcp_every_echo/ }).click();
    await other.getByRole("complementary").getByText("by clicking").first().waitFor();
    await other.getByRole("button", { name: "Allow once" }).click();
    await other.getByText("All caught up").waitFor();
    expect((await connected.client.callTool(call)).content).toEqual([
      { type: "text", text: "Echo: by clicking" },
    ]);

    await go(page, "Audit");
    await page.getByRole("link", { name: "mcp_every_echo" }).first().click();
    await panel.getByRole("region", { name: "Arguments" }).getByText("by clicking").waitFor();
    await panel.getByText("worker").first().waitFor();
    await panel.getByText("eve").first().waitFor();
    expect(page.url()).toMatch(/\/audit\/\w+/);
    expect(complaints).toEqual([]);
  }, 180_000);
});

/** Resolves with the token that the page shows this once. */
async function makeAgent(page: Page): Promise<string> {
  await go(page, "Agents");
  await page.getByRole("link", { name: "Create agent" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill("worker");
  await give(page, "update_mcp_server");
  await page.getByRole("button", { name: "Create agent" }).click();
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Create token" }).click();
  const shown = page.getByRole("dialog");
  const token = await shown.getByRole("region", { name: "Token" }).textContent();
  await shown.getByRole("button", { name: "Done" }).click();
  return token!;
}

async function addServer(page: Page): Promise<void> {
  await go(page, "Servers");
  await page.getByRole("link", { name: "Add server" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill("every");
  await page.getByLabel("Command").fill(EVERYTHING.command);
  await page.getByLabel("Arguments").fill(EVERYTHING.args.join("\n"));
  await page.getByRole("button", { name: "Test" }).click();
  await page.getByText(/Connected: \d+ tools/).waitFor({ timeout: 30_000 });
  await page.getByRole("button", { name: "Add server" }).click();
  await page.getByRole("complementary").getByText("Ready").waitFor({ timeout: 30_000 });
}

async function grantEcho(page: Page): Promise<void> {
  await go(page, "Agents");
  await page.getByRole("link", { name: "worker", exact: true }).click();
  await page.getByRole("link", { name: "Access", exact: true }).click();
  await give(page, "mcp_every_echo");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved").waitFor();
}

function go(page: Page, name: string): Promise<void> {
  return page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click();
}

async function give(page: Page, tool: string): Promise<void> {
  const picker = page.getByRole("combobox", { name: /Grant a tool/ });
  await picker.fill(tool);
  await page.getByRole("option", { name: new RegExp(`^${tool}`) }).waitFor();
  await picker.press("Enter");
}

async function writeRule(page: Page): Promise<void> {
  await go(page, "Rules");
  await page.getByRole("button", { name: "Add rule" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "Ask first" }).check();
  await dialog.getByLabel("Tools", { exact: true }).fill("mcp_every_echo");
  await dialog.getByText("1 tool: mcp_every_echo").waitFor();
  await dialog.getByRole("button", { name: "Add rule" }).click();
  await page.getByRole("complementary").getByText("Added here by owner").waitFor();
}
