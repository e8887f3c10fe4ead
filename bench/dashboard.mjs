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
];
const LISTS = ["/servers", "/tools", "/audit"];

export async function bench({ records = RECORDS } = {}) {
  const { program, missing } = ensureChromium();
  if (!program) throw new Error(missing);
  const upstream = await manyServers();
  const home = await mkdtemp(join(tmpdir(), "toolkeep-dashboard-"));
  const daemon = await startDaemon(home);
  const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    await fill(daemon.api, upstream, Number(records));
    const pages = [];
    for (const path of PAGES) pages.push({ path, ms: await timesOf(browser, daemon, path) });
    const lists = [];
    for (const path of LISTS) lists.push({ path, ...(await scrolling(browser, daemon, path)) });
    return { machine: machine(), records: Number(records), pages, lists };
  } finally {
    await browser.close();
    await daemon.close();
    await upstream.close();
    await rm(home, { recursive: true, force: true });
  }
}

export function missed({ pages }) {
  return pages
    .filter(({ ms }) => ms.median > BAR_MS)
    .map(({ path, ms }) => `${path} took ${Math.round(ms.median)} ms`);
}

export function toMarkdown({ machine, records, pages, lists }) {
  return [
    "## Dashboard",
    "",
    `${machine}. ${SERVERS} servers, ${SERVERS * 20} tools, ${records.toLocaleString("en")} records; a browser with an empty cache, ${ROUNDS} times each.`,
    "",
    "| page | there after, median | slowest |",
    "|---|---|---|",
    ...pages.map(
      ({ path, ms }) => `| \`${path}\` | ${Math.round(ms.median)} ms | ${Math.round(ms.most)} ms |`,
    ),
    "",
    "| list | frames while scrolling, median | 95 of 100 |",
    "|---|---|---|",
    ...lists.map(
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
    await isThere(page);
    times.push(await page.evaluate("performance.now()"));
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
  const frames = await page.evaluate(`(async () => {
    const list = document.querySelector("[role=table]").parentElement;
    const frames = [];
    let last = performance.now();
    for (let step = 0; step < 120; step++) {
      list.scrollTop += 400;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      frames.push(now - last);
      last = now;
    }
    return frames.sort((a, b) => a - b);
  })()`);
  await page.context().close();
  return { median: frames[60], p95: frames[114] };
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

async function isThere(page) {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.locator("[role=status][aria-label^=Loading]").first().waitFor({ state: "detached" });
}

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
