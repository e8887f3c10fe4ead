// How soon each page of the dashboard is there with 200 servers, 4,000 tools and 100,000 records in the audit, in a browser that knows nothing
// yet, and how smooth its long lists scroll.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { ensureChromium } from "../scripts/chromium.mjs";
import { manyServers } from "./support/many-servers.mjs";
import { machine } from "./support/measure.mjs";

const BIN = fileURLToPath(new URL("../bin/toolkeep", import.meta.url));
const SERVERS = 200;
const RECORDS = 100_000;
const AT_ONCE = 16;
const ROUNDS = 3;
/** What a page may take until everything that it shows at first is there. */
const BAR_MS = 1_000;
/** How much longer than a frame of an empty page 95 of 100 frames may take while a list is scrolled. */
const FRAME_BAR_MS = 34;
const WAITING = 50;
const STEPS = 120;
const PAGES = [
  "/",
  "/servers",
  "/tools",
  "/toolboxes",
  "/agents",
  "/approvals",
  "/rules",
  "/audit",
  "/knowledge",
  "/vault",
  "/settings",
  "/notifications",
  "/users",
  "/tasks/tickets",
  // With something open, searched or tried.
  "/servers/server-7?tab=tools",
  "/tools/TOOL",
  "/tools?q=send+a+message",
  "/agents/everything",
  "/rules?view=try&tool=think&agent=agent-1",
  "/audit?q=thi",
];
const LISTS = ["/servers", "/tools", "/audit", "/approvals", "/notifications"];

export async function bench({ records = RECORDS } = {}) {
  const { program, missing } = ensureChromium();
  if (!program) throw new Error(missing);
  const upstream = await manyServers();
  const home = await mkdtemp(join(tmpdir(), "toolkeep-dashboard-"));
  const daemon = await startDaemon(home);
  const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    await fill(daemon.api, upstream, Number(records));
    const { tools } = await daemon.api("GET", "/tools?brief=true&limit=5000");
    const tool = tools.find(({ origin }) => origin === "mcp:server-7").name;
    const pages = [];
    for (const path of PAGES.map((each) => each.replace("TOOL", tool)))
      pages.push({ path, ms: await timesOf(browser, daemon, path) });
    const empty = await emptyFrames(browser);
    const lists = [];
    for (const path of LISTS) lists.push({ path, ...(await scrolling(browser, daemon, path)) });
    return { machine: machine(), records: Number(records), pages, empty, lists };
  } finally {
    await browser.close();
    await daemon.close();
    await upstream.close();
    await rm(home, { recursive: true, force: true });
  }
}

export function missed({ pages, empty, lists }) {
  const late = pages
    .filter(({ ms }) => ms.median > BAR_MS)
    .map(({ path, ms }) => `${path} took ${Math.round(ms.median)} ms`);
  const rough = lists
    .filter(({ p95 }) => p95 > empty.p95 + FRAME_BAR_MS)
    .map(
      ({ path, p95 }) =>
        `scrolling ${path}: a frame took ${Math.round(p95)} ms, of an empty page ${Math.round(empty.p95)} ms`,
    );
  return [...late, ...rough];
}

export function toMarkdown({ machine, records, pages, empty, lists }) {
  return [
    "## Dashboard",
    "",
    `${machine}. ${SERVERS} servers, ${SERVERS * 20} tools, ${records.toLocaleString("en")} records, ${WAITING} approvals and ${WAITING} notifications that wait; a browser with an empty cache, ${ROUNDS} times each.`,
    "",
    "| page | there after, median | slowest |",
    "|---|---|---|",
    ...pages.map(
      ({ path, ms }) => `| \`${path}\` | ${Math.round(ms.median)} ms | ${Math.round(ms.most)} ms |`,
    ),
    "",
    "| list | frames while scrolling, median | 95 of 100 |",
    "|---|---|---|",
    ...[{ path: "an empty page", ...empty }, ...lists].map(
      ({ path, median, p95 }) => `| \`${path}\` | ${median.toFixed(1)} ms | ${p95.toFixed(1)} ms |`,
    ),
    "",
  ].join("\n");
}

async function timesOf(browser, daemon, path) {
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const page = await open(browser, daemon);
    await page.goto(daemon.url + path, { waitUntil: "commit" });
    times.push(await page.evaluate(WHEN_THERE));
    await page.context().close();
  }
  times.sort((a, b) => a - b);
  return { median: times[Math.floor(ROUNDS / 2)], most: times.at(-1) };
}

/** How long frames take while a list is scrolled by a screen at a time. */
async function scrolling(browser, daemon, path) {
  const page = await open(browser, daemon);
  await page.goto(daemon.url + path);
  await page.getByRole("table").waitFor();
  const measured = await framesOf(page, 'document.querySelector("[role=table]").parentElement');
  await page.context().close();
  return measured;
}

/** The same of a page with nothing but height: what this machine and its browser can do at all. */
async function emptyFrames(browser) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.setContent('<div style="height: 100000px"></div>');
  const measured = await framesOf(page, "document.scrollingElement");
  await page.close();
  return measured;
}

async function framesOf(page, scroller) {
  const frames = await page.evaluate(`(async () => {
    const list = ${scroller};
    const frames = [];
    let last = performance.now();
    for (let step = 0; step < ${STEPS}; step++) {
      list.scrollTop += 400;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      frames.push(now - last);
      last = now;
    }
    return frames.sort((a, b) => a - b);
  })()`);
  return { median: frames[STEPS / 2], p95: frames[Math.floor(STEPS * 0.95)] };
}

/** A fresh browser, signed in, with nothing in its cache: the page that signing in leads to is left before it loads. */
async function open(browser, { api }) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto((await api("POST", "/login-links", {})).url);
  await page.route("**/assets/**", (route) => route.abort());
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/$/);
  await page.unroute("**/assets/**");
  return page;
}

/**
 * When the page has its heading and nothing in it is loading any more, looked at in every frame and by the page itself: whoever waits from
 * outside looks only twice a second after a while. What comes up for a moment between two parts does not count.
 */
const WHEN_THERE = `new Promise((resolve) => {
  let since;
  const look = () => {
    const isThere = document.querySelector("h1") && !document.querySelector("[role=status][aria-label^=Loading]");
    since = isThere ? (since ?? performance.now()) : undefined;
    if (since !== undefined && performance.now() - since > 150) resolve(since);
    else requestAnimationFrame(look);
  };
  look();
})`;

async function startDaemon(home) {
  await writeFile(
    join(home, "config.json"),
    JSON.stringify({ log_level: "error", default_rules: false, mcp: { pin: false } }),
  );
  const env = { PATH: process.env.PATH, HOME: home, TOOLKEEP_HOME: home, TOOLKEEP_PORT: "0" };
  const daemon = spawn(process.execPath, [BIN, "serve", "--json"], {
    env,
    cwd: home,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  for await (const chunk of daemon.stdout.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.includes("\n}\n")) break;
  }
  const { url } = JSON.parse(text);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [BIN, "token", "create", "--admin", "--json"],
    { env, cwd: home },
  );
  const { token } = JSON.parse(stdout);
  const api = async (method, path, body) => {
    const answer = await fetch(`${url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const value = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`);
    return value;
  };
  return {
    url,
    api,
    async close() {
      daemon.kill("SIGTERM");
      await once(daemon, "exit");
    },
  };
}

async function fill(api, upstream, records) {
  const add = (number) =>
    api("POST", "/servers", { name: `server-${number}`, url: upstream.url(number), wait: true });
  await inTurns(SERVERS, 8, add);
  for (let number = 0; number < 20; number++) {
    await api("POST", "/toolboxes", { name: `box-${number}`, tools: [`mcp:server-${number}:*`] });
    await api("POST", "/agents", { name: `agent-${number}`, toolboxes: [`box-${number}`] });
  }
  await api("POST", "/toolboxes", { name: "everything", tools: ["mcp:*:*"] });
  await api("POST", "/agents", { name: "everything", toolboxes: ["everything"] });
  await api("POST", "/projects", { name: "Work", key: "WRK" });
  await inTurns(500, AT_ONCE, (number) =>
    api("POST", "/tickets", { project: "WRK", title: `The ticket with the number ${number}` }),
  );
  await api("POST", "/rules", { permission: "list_directory", action: "ask" });
  await inTurns(WAITING, AT_ONCE, async (number) => {
    const agent = `agent-${number % 20}`;
    await api("POST", "/call", { agent, name: "list_directory", arguments: {}, conversation: `c${number}` });
    await api("POST", "/call", {
      agent,
      name: "notify",
      arguments: { title: `Number ${number}`, body: "So." },
    });
  });
  await inTurns(records, AT_ONCE, (number) =>
    api("POST", "/call", {
      agent: `agent-${number % 20}`,
      name: "think",
      arguments: { thought: `number ${number}` },
    }),
  );
}

async function inTurns(count, atOnce, work) {
  let next = 0;
  const turn = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, turn));
}
