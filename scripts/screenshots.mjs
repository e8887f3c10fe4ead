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
const WIDE = { width: 1280, height: 800 };
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
  ["rule", "/rules?edit=new&for=mcp%3Agithub%3A*&say=ask"],
  ["tasks", "/tasks/tickets/CHK-1"],
  ["task", "/tasks", WIDE, "Run the tests"],
  ["audit", "/audit", WIDE, "mcp_postgres_query"],
  ["knowledge", "/knowledge?q=who+may+approve"],
  ["sources", "/knowledge/sources"],
  ["memory", "/knowledge/memories", WIDE, "No meetings before ten"],
  ["vault", "/vault"],
  ["notifications", "/notifications"],
  ["users", "/users"],
  ["settings", "/settings"],
  ["phone", "/", PHONE],
  ["phone-approval", "/approvals", PHONE, "mcp_github_merge_pull_request"],
];
/** Of a daemon that was started for the first time. */
const FIRST_RUN = [["first-run", "/"]];

chdir(fileURLToPath(new URL("..", import.meta.url)));
const { program, missing } = ensureChromium();
if (!program) throw new Error(missing);
run(process.execPath, ["scripts/build.mjs"]);
await mkdir(OUT, { recursive: true });
const wanted = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox", "--disable-gpu"] });
try {
  await picture(PICTURES, {});
  await picture(FIRST_RUN, { isNew: true });
} finally {
  await browser.close();
}

async function picture(all, setup) {
  const pictures = all.filter(([name]) => wanted.length === 0 || wanted.includes(name));
  if (pictures.length === 0) return;
  const demo = await openDemo(setup);
  try {
    for (const scheme of ["light", "dark"]) await pictureIn(scheme, pictures, demo);
  } finally {
    await demo.close();
  }
}

async function pictureIn(scheme, pictures, demo) {
  const context = await browser.newContext({
    viewport: WIDE,
    colorScheme: scheme,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.route("**/api/home", overTheHour);
  await page.goto((await demo.api("POST", "/login-links", {})).url);
  await page.getByRole("button", { name: "Sign in" }).click();
  for (const [name, path, size = WIDE, opened] of pictures) {
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

/** Nobody waits an hour for a picture: the curves of Home's last hour are drawn, not measured. `docs/dashboard.md` says so. */
async function overTheHour(route) {
  const answer = await route.fetch();
  const home = await answer.json();
  const last = home.minutes.at(-1);
  const calls = home.minutes.reduce((sum, minute) => sum + minute.calls, 0);
  if (last && calls > 0) {
    home.minutes = Array.from({ length: 60 }, (_, at) => {
      const share = 1 + Math.sin(at / 7) * 0.5 + Math.sin(at * 1.7) * 0.35;
      return {
        at: last.at - (59 - at) * 60_000,
        calls: Math.round((calls / 60) * share * 3),
        failed: at % 17 === 5 ? 1 : 0,
        refused: at % 9 === 2 ? 1 : 0,
        p95Ms: Math.round(40 + 25 * Math.sin(at / 5) + 12 * Math.sin(at * 2.3)),
      };
    });
  }
  await route.fulfill({ response: answer, json: home });
}
