// Makes docs/dashboard/*.png: every page, light and dark, of a real daemon with plausible data. `npm run screenshots [NAME…]`
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { chdir } from "node:process";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { ensureChromium } from "./chromium.mjs";
import { run } from "./run.mjs";
import { openDemo } from "./screenshots/demo-home.mjs";

const OUT = "docs/dashboard";
const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
/** Name, address; where it is not wide its size; and what of the list to open. */
const PICTURES = [
  ["home", "/"],
  ["servers", "/servers"],
  ["server", "/servers/github?tab=tools"],
  ["server-held", "/servers/slack?tab=changes"],
  ["server-add", "/servers?add=form"],
  ["tools", "/tools?q=find+open+tickets"],
  ["tool", "/tools/mcp_github_create_issue?tab=try"],
  ["toolboxes", "/toolboxes/engineering"],
  ["agents", "/agents/reviewer"],
  ["approvals", "/approvals", WIDE, "mcp_github_merge_pull_request"],
  ["rules", "/rules"],
  ["audit", "/audit", WIDE, "mcp_postgres_query"],
  ["knowledge", "/knowledge?q=who+may+approve"],
  ["sources", "/knowledge/sources"],
  ["vault", "/vault"],
  ["notifications", "/notifications"],
  ["users", "/users"],
  ["settings", "/settings"],
  ["phone", "/", PHONE],
];

chdir(fileURLToPath(new URL("..", import.meta.url)));
const { program, missing } = ensureChromium();
if (!program) throw new Error(missing);
run(process.execPath, ["scripts/build.mjs"]);
await mkdir(OUT, { recursive: true });
const wanted = process.argv.slice(2);
const demo = await openDemo();
const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox", "--disable-gpu"] });
try {
  for (const scheme of ["light", "dark"]) {
    const context = await browser.newContext({
      viewport: WIDE,
      colorScheme: scheme,
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    await page.goto((await demo.api("POST", "/login-links", {})).url);
    await page.getByRole("button", { name: "Sign in" }).click();
    for (const [name, path, size = WIDE, opened] of PICTURES) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      await page.setViewportSize(size);
      await page.goto(demo.url + path);
      await page.waitForLoadState("load");
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      for (const grey of await page.locator("[role=status][aria-label^=Loading]").all())
        await grey.waitFor({ state: "detached" });
      if (opened) await page.getByRole("link", { name: opened }).first().click();
      // What is read after the first answer, and what fades in.
      await page.waitForTimeout(700);
      await page.screenshot({ path: join(OUT, `${name}-${scheme}.png`) });
    }
    await context.close();
  }
} finally {
  await browser.close();
  await demo.close();
}
