import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { type TestDashboard, testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { fixture } from "../support/upstream.ts";

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };

/** Every page, its tabs, and what opens on it. */
const PLACES: readonly string[] = [
  "/",
  ...["/servers", "/servers/echo", "/servers/echo?tab=tools", "/servers/echo?tab=changes", "/servers/gone"],
  ...["/servers?add=form", "/servers?add=paste", "/servers?add=import", "/servers/echo?doing=edit"],
  ...["/tools", "/tools?q=read", "/tools/think", "/tools/think?tab=try", "/tools/think?tab=use"],
  ...["/toolboxes", "/toolboxes/web", "/toolboxes?new=yes"],
  ...[
    "/agents",
    "/agents/worker",
    "/agents/worker?tab=access",
    "/agents/worker?tab=tokens",
    "/agents?new=yes",
  ],
  ...["/tasks", "/tasks/tickets", "/tasks/projects"],
  ...["/knowledge", "/knowledge/sources", "/knowledge/memories", "/knowledge/inbox"],
  ...["/approvals", "/approvals?view=decided", "/notifications"],
  ...["/rules", "/rules?view=try&tool=think&agent=worker", "/rules?edit=new&for=think&say=ask"],
  ...["/audit", "/audit?view=actions", "/audit?view=integrity"],
  ...["/vault", "/vault/API_KEY", "/vault?add=secret"],
  ...["/users", "/users/owner", "/users?add=person", "/users?view=tokens", "/users?view=tokens&add=token"],
  ...["/settings", "/settings/log_level", "/settings?view=health", "/settings?view=about"],
  "/tasks/nowhere",
];

const WITH_TABS = ["/servers/echo", "/tools/think", "/tasks", "/knowledge", "/rules", "/settings"];

/**
 * What can be scrolled sideways, and tab bars with a scrollbar. Code scrolls within itself, as code does. A tab bar may be
 * wider than a phone, and is swiped.
 */
const STRAY = `(() => {
  const found = [];
  const page = document.scrollingElement;
  if (page.scrollWidth > innerWidth) found.push("the page is " + page.scrollWidth + " wide");
  for (const element of document.querySelectorAll("*")) {
    const { overflowX, overflowY, scrollbarWidth } = getComputedStyle(element);
    const scrolls = (overflow) => overflow === "auto" || overflow === "scroll";
    const name = element.tagName.toLowerCase() + " " + (element.getAttribute("aria-label") ?? element.className);
    if (element.matches("nav:not([aria-label=Pages])")) {
      if (scrolls(overflowY) && element.scrollHeight > element.clientHeight) found.push(name + " has a scrollbar");
      if (scrolls(overflowX) && scrollbarWidth !== "none") found.push(name + " may get a scrollbar");
    } else if (!element.closest("pre, textarea") && scrolls(overflowX) && element.scrollWidth > element.clientWidth + 1)
      found.push(name + " is " + element.scrollWidth + " wide");
  }
  return found;
})()`;

async function withData(): Promise<TestDashboard> {
  const dashboard = await testDashboard({
    toolboxes: { web: ["http_request", "a_tool_with_a_name_that_is_as_long_as_names_of_tools_may_be"] },
    agents: { worker: ["web"] },
    rules: [{ permission: "think", action: "ask" }],
  });
  const { api, call } = dashboard;
  const long = "words-without-a-space-".repeat(8);
  await api("POST", "/servers", { name: "echo", ...fixture("echoes"), wait: true });
  await api("POST", "/servers", { name: "gone", ...fixture("exits at once"), wait: true });
  await call("think", { thought: long }, "worker");
  await call("list_directory", { path: `/${long}` }, "worker");
  await call("notify", { title: long.slice(0, 80), body: long, level: "warning" }, "worker");
  await api("POST", "/memories", { agent: "worker", key: "day", text: long });
  await api("POST", "/inbox", { title: "A thought", content: long });
  await api("PUT", "/secrets/API_KEY", {
    value: "s3cret-value",
    hosts: ["a.very.long.host.name.example.com"],
  });
  await api("POST", "/tokens", { label: long.slice(0, 100) });
  await api("POST", "/tokens", { agent: "worker", label: long.slice(0, 100) });
  await api("POST", "/projects", { name: "Checkout", key: "CHK", description: long });
  await api("POST", "/tickets", { project: "CHK", title: long.slice(0, 100) });
  await dashboard.hub.audit.flush();
  return dashboard;
}

async function arrive(page: Page, path: string): Promise<void> {
  // As by going back: what is loaded stays.
  await page.evaluate(
    `history.pushState(null, "", ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent("popstate"));`,
  );
  // Out of reach where details cover it.
  await page
    .locator("h1")
    .first()
    .waitFor({ state: "attached" })
    .catch(async () => {
      throw new Error(`${path}: ${await page.locator("body").textContent()}`);
    });
  await page
    .getByRole("status", { name: /^Loading/ })
    .first()
    .waitFor({ state: "detached" });
}

describe.skipIf(withoutDashboard)("every page", () => {
  it("fits on a phone, and no tab bar has a scrollbar there or on a desk", async () => {
    await using dashboard = await withData();
    const page = await dashboard.open();
    const found: Record<string, unknown> = {};
    const look = async (size: string, path: string) => {
      await arrive(page, path);
      const stray = await page.evaluate<string[]>(STRAY);
      if (stray.length > 0) found[`${size} ${path}`] = stray;
    };
    await page.setViewportSize(PHONE);
    for (const path of PLACES) await look("phone", path);
    await page.setViewportSize(DESK);
    for (const path of WITH_TABS) await look("desk", path);
    expect(found).toEqual({});
    expect(dashboard.complaints).toEqual([]);
  }, 240_000);
});
