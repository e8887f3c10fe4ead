import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { type TestDashboard, testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { fixture } from "../support/upstream.ts";

const PHONE = { width: 390, height: 780 };
const DESK = { width: 1280, height: 800 };

/** What each page shows where there is something to show, and what opens on it. Tests of single pages look at the rest. */
const PLACES: readonly (readonly [path: string, open?: (page: Page) => Promise<unknown>])[] = [
  ["/"],
  ["/", (page) => page.keyboard.press("Control+k")],
  ["/", (page) => page.getByRole("button", { name: "Theme and sign-out" }).click()],
  ["/servers"],
  ["/servers?add=form"],
  ["/servers?add=paste"],
  ["/servers?add=import"],
  ["/servers/echo?tab=tools"],
  ["/servers/echo?tab=log"],
  ["/servers/echo", (page) => page.getByRole("button", { name: "Test" }).click()],
  ["/servers/echo", (page) => page.getByRole("button", { name: "More actions for echo" }).click()],
  ["/servers/echo", remove],
  ["/tools/think?tab=use"],
  ["/tools/think?tab=schema"],
  ["/approvals"],
  ["/audit"],
  ["/knowledge/sources"],
  ["/knowledge/sources?add=source"],
  ["/knowledge/memories"],
  ["/knowledge/inbox"],
  ["/rules"],
  ["/vault"],
  ["/notifications"],
  ["/toolboxes"],
  ["/users"],
];
const LISTS = [
  ...["/", "/servers", "/tools", "/toolboxes", "/agents", "/approvals", "/rules", "/audit"],
  ...["/knowledge/memories", "/vault", "/notifications", "/users", "/settings"],
];

function headingOf(path: string): string {
  const [section] = path.slice(1).split(/[/?]/);
  if (section === "users") return "People";
  return section ? section[0]!.toUpperCase() + section.slice(1) : "Home";
}

async function remove(page: Page): Promise<void> {
  await page.getByRole("button", { name: "More actions for echo" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
}

async function withData(): Promise<TestDashboard> {
  const dashboard = await testDashboard({
    agents: { worker: [] },
    rules: [{ permission: "think", action: "ask" }],
  });
  const { api, call } = dashboard;
  await api("POST", "/servers", { name: "echo", ...fixture("echoes"), wait: true });
  await api("POST", "/servers", { name: "gone", ...fixture("exits at once"), wait: true });
  await call("think", { thought: "so" }, "worker");
  await call("list_directory", {}, "worker");
  await call("notify", { title: "Done", body: "all of it", level: "warning" }, "worker");
  await api("POST", "/memories", { agent: "worker", key: "day", text: "We deploy on Mondays." });
  await api("POST", "/inbox", { title: "A thought", content: "Worth keeping." });
  await api("POST", "/rules", { permission: "read_file", action: "deny", note: "not now" });
  await api("PUT", "/secrets/API_KEY", { value: "s3cret-value" });
  await writeFile(join(dashboard.home, "note.md"), "# A note");
  await dashboard.hub.audit.flush();
  return dashboard;
}

describe.skipIf(withoutDashboard)("axe", () => {
  it("finds nothing serious wherever there is something to see, light and dark, on a phone too", async () => {
    await using dashboard = await withData();
    const page = await dashboard.open();
    const found: Record<string, readonly string[]> = {};
    const look = async (place: string) => {
      const findings = await seriousFindings(page);
      if (findings.length > 0) found[place] = findings;
    };
    const arrive = async (path: string, isFresh: boolean) => {
      if (isFresh) await page.goto(dashboard.url + path);
      // As by going back: what is loaded stays.
      else
        await page.evaluate(
          `history.pushState(null, "", ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent("popstate"));`,
        );
      await page
        .getByRole("heading", { level: 1, name: headingOf(path) })
        .first()
        .waitFor();
      await page
        .getByRole("status", { name: /^Loading/ })
        .first()
        .waitFor({ state: "detached" });
    };
    let wasOpened = true;
    for (const [path, open] of PLACES) {
      await arrive(path, wasOpened);
      await open?.(page);
      await look(open ? `${path}, opened` : path);
      wasOpened = open !== undefined;
    }
    await page.setViewportSize(PHONE);
    for (const path of LISTS) {
      await arrive(path, path === LISTS[0]);
      await look(`${path} on a phone`);
    }
    await page.getByRole("button", { name: "Open navigation" }).click();
    await look("the drawer");
    await page.setViewportSize(DESK);
    await page.goto(`${dashboard.url}/servers`);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await dashboard.api("DELETE", "/people/owner/sessions");
    await page.getByRole("heading", { name: "You are signed out" }).waitFor();
    await look("signed out");
    await page.goto(dashboard.url);
    await look("not signed in");
    const { url } = await dashboard.api<{ url: string }>("POST", "/login-links", {});
    await page.goto(url);
    await look("signing in");
    expect(found).toEqual({});
  }, 240_000);

  it("has nothing that axe finds serious, light and dark", async () => {
    await using dashboard = await testDashboard();
    await dashboard.api("POST", "/servers", { name: "cloudy", url: "http://127.0.0.1:9/mcp" });
    const page = await dashboard.open("/servers/cloudy");
    await page.getByRole("heading", { name: "cloudy" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });
});
