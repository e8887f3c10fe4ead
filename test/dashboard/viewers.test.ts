import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { projectsOf } from "../support/project-stores.ts";
import { fixture } from "../support/upstream.ts";

describe.skipIf(withoutDashboard)("the page of servers", { timeout: 90_000 }, () => {
  it("has no button for a viewer that the API would refuse", async () => {
    await using dashboard = await testDashboard();
    await dashboard.api("POST", "/servers", { name: "echo", ...fixture("echoes") });
    await dashboard.api("POST", "/people", { name: "vera", role: "viewer" });
    const page = await dashboard.open("/servers/echo", { person: "vera" });
    await page.getByRole("heading", { name: "echo", exact: true }).waitFor();
    expect(await page.getByRole("button", { name: /Test|More actions/ }).count()).toBe(0);
    expect(await page.getByRole("link", { name: /Add server|Import/ }).count()).toBe(0);
  });
});

describe.skipIf(withoutDashboard)("the tools page", { timeout: 90_000 }, () => {
  it("lets viewers look, and only look", async () => {
    await using dashboard = await testDashboard();
    await dashboard.api("POST", "/people", { name: "vera", role: "viewer" });
    const page = await dashboard.open("/tools/read_file?tab=try", { person: "vera" });
    await page.getByText("Read a text file", { exact: false }).first().waitFor();
    expect(await page.getByRole("link", { name: "Try it" }).count()).toBe(0);
  });
});

describe.skipIf(withoutDashboard)("the approvals page", { timeout: 90_000 }, () => {
  it("a viewer sees it and has no button that decides", async () => {
    await using dashboard = await testDashboard({
      rules: [{ permission: "think", action: "ask" }],
      agents: { main: [] },
    });
    await dashboard.hub.people.add("vera", "viewer");
    await dashboard.hub.people.add("otto", "operator");
    const { error } = await dashboard.call("think", { thought: "look" }, "main");
    const id = error?.details?.approvalId as string;
    const page = await dashboard.open(`/approvals/${id}`, { person: "vera" });
    await page.getByText("Only operators and admins can decide this").waitFor();
    expect(await page.getByRole("button", { name: /Allow|Reject|Always/ }).count()).toBe(0);
    await page.keyboard.press("o");
    const operator = await dashboard.open(`/approvals/${id}`, { person: "otto" });
    await operator.getByRole("button", { name: "Allow once" }).waitFor();
    expect(await operator.getByRole("button", { name: /Always/ }).count()).toBe(0);
    expect((await dashboard.hub.questions.get(id))?.state).toBe("pending");
  });
});

describe.skipIf(withoutDashboard)("the rules page", { timeout: 90_000 }, () => {
  it("a viewer reads and tries rules, and has no button that changes one", async () => {
    await using dashboard = await testDashboard({ agents: { main: [] } });
    await dashboard.hub.people.add("vera", "viewer");
    const made = await dashboard.api<{ rule: { id: string } }>("POST", "/rules", {
      permission: "think",
      action: "deny",
    });
    const page = await dashboard.open(`/rules/${made.rule.id}`, { person: "vera" });
    await page.getByRole("button", { name: "Test recent calls without this rule" }).click();
    await page.getByText("No change: the last").waitFor();
    expect(await page.getByRole("button", { name: /Add rule|Edit|Remove/ }).count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
  });
});

describe.skipIf(withoutDashboard)("the vault page", { timeout: 90_000 }, () => {
  it("a viewer sees names and bindings, and no button", async () => {
    await using dashboard = await testDashboard();
    await dashboard.hub.vault.put("TOKEN", "some-long-token");
    await dashboard.hub.people.add("vera", "viewer");
    const page = await dashboard.open("/vault/TOKEN", { person: "vera" });
    await page.getByRole("heading", { name: "TOKEN" }).waitFor();
    expect(
      await page
        .getByRole("button", { name: /Add secret|Replace value|Delete|Edit access|More vault actions/ })
        .count(),
    ).toBe(0);
  });
});

describe.skipIf(withoutDashboard)("the tasks page", { timeout: 90_000 }, () => {
  it("a viewer reads all of it, on a phone too, and has no button that changes anything", async () => {
    await using dashboard = await testDashboard({ agents: { coder: [] } });
    await dashboard.hub.people.add("vera", "viewer");
    await projectsOf(dashboard.hub).create({ name: "Tool keeper" }, null);
    await projectsOf(dashboard.hub).tickets.create("TK", { title: "Names are cut" }, null);
    const context = { viewport: { width: 390, height: 800 } };
    const page = await dashboard.open("/tasks/tickets/TK-1", { person: "vera", context });
    await page.getByRole("complementary").getByText("Open", { exact: true }).waitFor();
    expect(await page.getByRole("complementary").getByRole("combobox").count()).toBe(0);
    expect(await page.getByRole("button", { name: /Comment|More actions/ }).count()).toBe(0);
    expect(await page.getByRole("link", { name: /^Create / }).count()).toBe(0);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await page.goto(`${dashboard.url}/tasks/projects/TK`);
    await page.getByRole("complementary").getByText("Notes").first().waitFor();
    expect(await page.getByRole("button", { name: /Add note|More actions/ }).count()).toBe(0);
  });
});

describe.skipIf(withoutDashboard)("the users page", { timeout: 90_000 }, () => {
  it("the owner cannot be changed, and a viewer sees no sessions", async () => {
    await using dashboard = await testDashboard();
    await dashboard.hub.people.add("vera", "viewer");
    const page = await dashboard.open("/users/owner", { person: "vera" });
    await page.getByText("Always an admin").waitFor();
    expect(await page.getByRole("heading", { name: "Sessions" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: /link|Sign out everywhere|More actions/ }).count()).toBe(0);
  });
});

describe.skipIf(withoutDashboard)("the settings page", { timeout: 90_000 }, () => {
  it("a viewer changes nothing", async () => {
    await using dashboard = await testDashboard();
    await dashboard.hub.people.add("vera", "viewer");
    const page = await dashboard.open("/settings/shell.timeout_ms", { person: "vera" });
    await page.getByRole("heading", { name: "shell.timeout_ms" }).waitFor();
    expect(await page.getByLabel("New value").count()).toBe(0);
    await page.getByRole("link", { name: "About and backup" }).click();
    await page.getByText("1.2.3").waitFor();
    expect(await page.getByRole("button", { name: /backup/ }).count()).toBe(0);
  });
});
