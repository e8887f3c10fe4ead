import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { type TestDashboard, testDashboard, withoutDashboard } from "../support/dashboard.ts";

const ASKS = { rules: [{ permission: "think", action: "ask" as const }], agents: { main: [] } };
const PHONE = { context: { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true } };

/** Notifications that are written down instead of shown, by a browser that looks elsewhere. */
const RECORDED_NOTICES = `
  window.shown = [];
  window.Notification = class {
    static permission = "granted";
    static requestPermission = async () => "granted";
    constructor(title) {
      this.title = title;
      window.shown.push(this);
    }
    close() {}
  };
  document.hasFocus = () => false;
`;

/** A call whose caller waits for the person. */
function waiting({ hub, caller }: TestDashboard, thought: string) {
  return hub.callTool({
    name: "think",
    arguments: { thought },
    caller: caller("main"),
    via: "library",
    onProgress: () => {},
  });
}

async function asked(dashboard: TestDashboard, thought: string): Promise<string> {
  const { error } = await dashboard.call("think", { thought }, "main");
  return error?.details?.approvalId as string;
}

const row = (page: Page, name: string | RegExp) => page.getByRole("row", { name });

/** The answers take none until what is asked has been there for a moment. */
const answerable = (page: Page) =>
  page.locator("button:not([aria-disabled])", { hasText: "Allow once" }).waitFor();

describe.skipIf(withoutDashboard)("the approvals page", () => {
  it("a call that waits is approved by clicking, runs, and is in the audit with who approved it", async () => {
    await using dashboard = await testDashboard(ASKS);
    const page = await dashboard.open("/approvals");
    await page.getByText("All caught up").waitFor();
    const running = waiting(dashboard, "first");
    await row(page, /think/).getByRole("link").click();
    await page.getByText("May main call think?").waitFor();
    await page.getByText("This agent has not called this tool before").waitFor();
    await page.getByRole("button", { name: "Allow once" }).click();
    expect((await running).outcome).toBe("ok");
    await page.getByText("All caught up").waitFor();

    await page.getByRole("link", { name: "Audit", exact: true }).click();
    await row(page, /think/).first().getByRole("link").click();
    await page.getByRole("complementary").getByText("owner", { exact: true }).waitFor();
    await page.getByRole("list", { name: "Phases of the call" }).getByText("Wait for a person").waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  it("shows how a call differs from the last one, and writes the rule that always names", async () => {
    await using dashboard = await testDashboard({ ...ASKS });
    const first = await asked(dashboard, "old words");
    await dashboard.api("POST", `/approvals/${first}/approve`, {});
    await dashboard.call("think", { thought: "old words" }, "main");
    await dashboard.hub.audit.flush();
    const id = await asked(dashboard, "new words");
    const page = await dashboard.open(`/approvals/${id}`);
    const diff = page.getByRole("region", { name: "Changes since the previous call" });
    await diff.getByText("old words").waitFor();
    expect(await diff.textContent()).toContain("new words");
    await page.getByRole("button", { name: "Always allow" }).click();
    await page.getByRole("dialog").getByRole("radio", { name: "Let main call think.", exact: true }).check();
    await page.getByRole("button", { name: "Add rule and allow" }).click();
    await page.getByText("All caught up").waitFor();
    expect(await dashboard.api("GET", "/rules")).toMatchObject({
      rules: expect.arrayContaining([expect.objectContaining({ agent: "main", action: "allow" })]),
    });
    expect((await dashboard.call("think", { thought: "anything" }, "main")).outcome).toBe("ok");
  });

  it("works by keys alone: j and k move, r rejects with a reason, o lets run", async () => {
    await using dashboard = await testDashboard(ASKS);
    for (const thought of ["one", "two"]) await asked(dashboard, thought);
    const page = await dashboard.open("/approvals");
    await row(page, /two/).waitFor();
    await page.keyboard.press("j");
    await page.getByRole("region", { name: "Arguments" }).getByText("one").waitFor();
    await page.keyboard.press("j");
    await page.getByRole("region", { name: "Arguments" }).getByText("two").waitFor();
    await page.keyboard.press("k");
    await page.getByRole("region", { name: "Arguments" }).getByText("one").waitFor();
    await answerable(page);
    await page.keyboard.press("r");
    await page.getByLabel("Reason").pressSequentially("not today");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Arguments" }).getByText("two").waitFor();
    await answerable(page);
    await page.keyboard.press("o");
    await page.getByText("All caught up").waitFor();
    expect((await dashboard.call("think", { thought: "one" }, "main")).error?.message).toContain("not today");
    expect((await dashboard.call("think", { thought: "two" }, "main")).outcome).toBe("ok");
  });

  it("a held key and a double click answer one question, not the one that comes after it", async () => {
    await using dashboard = await testDashboard(ASKS);
    const ids: string[] = [];
    for (const thought of ["one", "two", "three"]) ids.push(await asked(dashboard, thought));
    const page = await dashboard.open(`/approvals/${ids[0]}`);
    const allow = page.getByRole("button", { name: "Allow once" });
    const shows = (thought: string) =>
      page.getByRole("region", { name: "Arguments" }).getByText(thought).waitFor();
    const states = async () =>
      Promise.all(ids.map(async (id) => (await dashboard.hub.questions.get(id))?.state));

    // At once, in the page itself: neither the key nor the click had anything to do with this question.
    await page.evaluate(`void (window.early = new Promise((resolve) => {
      const look = () => {
        const button = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "Allow once");
        if (!button || !location.pathname.endsWith(${JSON.stringify(ids[1])})) return requestAnimationFrame(look);
        button.click();
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "o", bubbles: true }));
        resolve(button.ariaDisabled);
      };
      look();
    }))`);
    await answerable(page);
    await page.keyboard.down("o");
    await shows("two");
    for (let at = 0; at < 20; at++) await page.keyboard.down("o");
    expect(await page.evaluate("window.early")).toBe("true");
    await answerable(page);
    // Held on for longer than the pause.
    for (let at = 0; at < 5; at++) await page.keyboard.down("o");
    await page.keyboard.up("o");
    expect(await states()).toEqual(["answered", "pending", "pending"]);

    await allow.dblclick();
    await shows("three");
    await answerable(page);
    expect(await states()).toEqual(["answered", "answered", "pending"]);
  }, 60_000);

  it("reads and answers approvals by the routes of questions alone", async () => {
    await using dashboard = await testDashboard(ASKS);
    const [first, second] = [await asked(dashboard, "one"), await asked(dashboard, "two")];
    const page = await dashboard.open(`/approvals/${first}`);
    const requests: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (/^\/api\/(questions|approvals)/.test(pathname)) requests.push(`${request.method()} ${pathname}`);
    });
    await answerable(page);
    await page.getByRole("button", { name: "Allow once" }).click();
    await page.getByRole("region", { name: "Arguments" }).getByText("two").waitFor();
    await answerable(page);
    await page.getByRole("button", { name: "Reject" }).click();
    await page.getByRole("button", { name: "Reject call" }).click();
    await page.getByText("All caught up").waitFor();
    expect(requests.filter((request) => request.startsWith("POST"))).toEqual([
      `POST /api/questions/${first}/answer`,
      `POST /api/questions/${second}/answer`,
    ]);
    expect(requests.filter((request) => request.includes("/api/approvals"))).toEqual([]);
    expect((await dashboard.hub.questions.get(second))?.answer).toBe("reject");
  });

  it("is live on two browsers, one of them a phone", async () => {
    await using dashboard = await testDashboard(ASKS);
    const desk = await dashboard.open("/approvals");
    const phone = await dashboard.open("/approvals", PHONE);
    await Promise.all([desk, phone].map((page) => page.getByText("All caught up").waitFor()));
    await asked(dashboard, "live");
    await Promise.all([desk, phone].map((page) => row(page, /think/).waitFor()));
    await row(phone, /think/).getByRole("link").tap();
    const allow = phone.getByRole("button", { name: "Allow once" });
    await allow.waitFor();
    const box = (await allow.boundingBox())!;
    expect(box.height).toBeGreaterThanOrEqual(40);
    expect(box.y + box.height).toBeLessThanOrEqual(780);
    expect(await phone.evaluate("document.documentElement.scrollWidth <= window.innerWidth")).toBe(true);
    await allow.tap();
    await Promise.all([desk, phone].map((page) => page.getByText("All caught up").waitFor()));
  });

  it("shows hostile arguments as text", async () => {
    await using dashboard = await testDashboard(ASKS);
    const thought = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script> \u202eevil ${"x".repeat(20_000)}`;
    const id = await asked(dashboard, thought);
    const page = await dashboard.open(`/approvals/${id}`);
    await page.getByRole("region", { name: "Arguments" }).getByText("<img src=x").waitFor();
    expect(await page.locator("main img, main script").count()).toBe(0);
    expect(await page.title()).toBe("Approvals · Toolkeep");
    expect(dashboard.complaints).toEqual([]);
  });

  it("answers other questions, too: a wish for a tool, a secret, a question with choices", async () => {
    await using dashboard = await testDashboard({ agents: { main: [] } });
    await dashboard.call("request_tool_access", { tools: ["http_request"], reason: "to fetch" }, "main");
    const { hub, caller } = dashboard;
    const ask = (name: string, args: object) =>
      hub.callTool({
        name,
        arguments: args,
        caller: caller("main"),
        via: "library",
        signal: AbortSignal.timeout(30_000),
      });
    const secret = ask("prompt_secret", { name: "API_KEY", reason: "for the API" });
    const choice = ask("prompt_human", { question: "Tea or milk?", choices: ["tea", "milk"] });
    const page = await dashboard.open("/approvals");
    await row(page, /http_request/)
      .getByRole("link")
      .click();
    await page.getByRole("button", { name: "Grant tool" }).click();
    await row(page, /API_KEY/)
      .getByRole("link")
      .click();
    await page.getByLabel("Value", { exact: true }).fill("s3cret-value");
    await page.getByRole("button", { name: "Save secret" }).click();
    expect((await secret).outcome).toBe("ok");
    await row(page, /Tea or milk/)
      .getByRole("link")
      .click();
    await page.getByRole("button", { name: "milk" }).click();
    expect((await choice).content).toMatchObject([{ text: "milk" }]);
    expect(hub.identity.agent("main").grants).toContain("http_request");
    expect(await page.evaluate("JSON.stringify({ ...sessionStorage, ...localStorage })")).not.toContain(
      "s3cret",
    );
  });

  it("notifies through the browser once somebody has clicked, and leads to what is asked", async () => {
    await using dashboard = await testDashboard(ASKS);
    const page = await (await dashboard.open("/")).context().newPage();
    await page.context().grantPermissions(["notifications"], { origin: dashboard.url });
    await page.addInitScript({ content: RECORDED_NOTICES });
    await page.goto(`${dashboard.url}/approvals`);
    const button = page.getByRole("button", { name: "Notify me" });
    await button.click();
    await page.getByRole("button", { name: "Stop notifying me" }).waitFor();
    await page.getByRole("link", { name: "Home", exact: true }).click();
    const id = await asked(dashboard, "look");
    await page.waitForFunction("window.shown.length === 1");
    await page.evaluate("window.shown[0].onclick()");
    await page.getByText("May main call think?").waitFor();
    expect(page.url()).toBe(`${dashboard.url}/approvals/${id}`);
  });

  it("a viewer sees it and has no button that decides", async () => {
    await using dashboard = await testDashboard(ASKS);
    await dashboard.hub.people.add("vera", "viewer");
    await dashboard.hub.people.add("otto", "operator");
    const id = await asked(dashboard, "look");
    const page = await dashboard.open(`/approvals/${id}`, { person: "vera" });
    await page.getByText("Only operators and admins can decide this").waitFor();
    expect(await page.getByRole("button", { name: /Allow|Reject|Always/ }).count()).toBe(0);
    await page.keyboard.press("o");
    const operator = await dashboard.open(`/approvals/${id}`, { person: "otto" });
    await operator.getByRole("button", { name: "Allow once" }).waitFor();
    expect(await operator.getByRole("button", { name: /Always/ }).count()).toBe(0);
    expect((await dashboard.hub.questions.get(id))?.state).toBe("pending");
  });

  it("a batch is shown as its calls, and has nothing that axe finds serious", async () => {
    await using dashboard = await testDashboard(ASKS);
    const calls = ["a", "b"].map((thought) => ({
      name: "think",
      arguments: { thought },
      caller: dashboard.caller("main"),
      via: "library" as const,
    }));
    await dashboard.hub.callBatch(calls);
    const page = await dashboard.open("/approvals");
    await row(page, /2 calls/)
      .getByRole("link")
      .click();
    await page.getByRole("heading", { name: "Call 2 of 2" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Allow once" }).click();
    await page.getByText("All caught up").waitFor();
    await page.getByRole("link", { name: "Decided" }).click();
    await page.getByRole("row").getByText("Allowed once").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });
});
