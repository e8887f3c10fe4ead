import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { type TestDashboard, testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { publishedServer } from "../support/published-server.ts";
import { waitUntil } from "../support/wait-until.ts";

const HOSTILE = `<img src=x onerror="document.title='owned'"> \u202eevil\u202c <script>window.owned = 1</script>`;

async function ready({ hub }: TestDashboard, tool: string) {
  await waitUntil(`${tool} is there`, async () => hub.catalog.get(tool) !== undefined);
}

describe.skipIf(withoutDashboard)("the tools page", { timeout: 90_000 }, () => {
  it("finds tools as a model does, with scores and why", async () => {
    await using dashboard = await testDashboard({ agents: { main: ["all"] } });
    const page = await dashboard.open("/tools");
    await page.getByText("tools", { exact: false }).first().waitFor();
    await page.getByRole("searchbox", { name: "Describe what the tool should do" }).fill("read a file");
    const first = page.getByRole("row").nth(1);
    await first.getByText("read (name)").waitFor();
    expect(await first.getByRole("link").textContent()).toBe("read_file");
    await page.getByRole("combobox", { name: "Seen by" }).selectOption("main");
    await first.getByRole("link").click();
    const panel = page.getByRole("complementary", { name: "read_file" });
    await panel.getByText("Why it matches").waitFor();
    expect(await panel.getByRole("row", { name: /“file”/ }).textContent()).toContain("name");
    expect(page.url()).toContain("/tools/read_file?q=read+a+file&as=main");
    expect(await seriousFindings(page)).toEqual([]);
    expect(dashboard.complaints).toEqual([]);
  });

  it("makes a form of any schema: nested, lists, choices, JSON where no form fits", async () => {
    await using server = await publishedServer();
    await server.publish([
      {
        name: "order",
        description: HOSTILE,
        inputSchema: {
          type: "object",
          required: ["item", "size"],
          properties: {
            item: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
            size: { enum: ["small", "large"] },
            count: { type: "integer", minimum: 1, default: 2 },
            gift: { type: "boolean" },
            notes: { type: "array", items: { type: "string" } },
            extra: { oneOf: [{ type: "string" }, { type: "number" }], description: HOSTILE },
          },
        },
      },
    ]);
    await using dashboard = await testDashboard();
    await dashboard.hub.upstream.add("shop", server.input);
    await ready(dashboard, "mcp_shop_order");
    const page = await dashboard.open("/tools/mcp_shop_order?tab=try");
    expect(await page.getByLabel("count (optional)").inputValue()).toBe("2");
    await page.getByLabel("name", { exact: true }).fill("lamp");
    await page.getByLabel("size").selectOption("large");
    await page.getByLabel("gift (optional)").selectOption("Yes");
    await page.getByRole("button", { name: "Add notes" }).click();
    await page.getByRole("textbox", { name: "notes 1" }).fill("fragile");
    await page.getByLabel("extra (optional)").fill("{");
    await page.getByRole("button", { name: "Call tool" }).click();
    await page.getByText(/Not valid JSON/).waitFor();
    await page.getByLabel("extra (optional)").fill("7");
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Call tool" }).click();
    await page.getByText("called order").waitFor();
    await dashboard.hub.audit.flush();
    const { calls } = await dashboard.api<{ calls: { arguments: string }[] }>(
      "GET",
      "/calls?tool=mcp_shop_order",
    );
    expect(JSON.parse(calls[0]!.arguments)).toEqual({
      item: { name: "lamp" },
      size: "large",
      count: 2,
      gift: true,
      notes: ["fragile"],
      extra: 7,
    });
    expect(await page.evaluate("window.owned")).toBeUndefined();
    expect(dashboard.complaints).toEqual([]);
  });
});
