import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { type TestDashboard, testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { publishedServer } from "../support/published-server.ts";
import { EVERYTHING } from "../support/test-hub.ts";
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

  it("lets viewers look, and only look", async () => {
    await using dashboard = await testDashboard();
    await dashboard.api("POST", "/people", { name: "vera", role: "viewer" });
    const page = await dashboard.open("/tools/read_file?tab=try", { person: "vera" });
    await page.getByText("Read a text file", { exact: false }).first().waitFor();
    expect(await page.getByRole("link", { name: "Try it" }).count()).toBe(0);
  });
});
