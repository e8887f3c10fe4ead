import { existsSync } from "node:fs";
import { join } from "node:path";
import Fastify, { type FastifyInstance } from "fastify";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { loadHomeSettings } from "../../src/features.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLog } from "../../src/lib/log.ts";
import { answerUnknownRoute } from "../../src/surfaces/api/failure.ts";
import { createBackup } from "../../src/surfaces/daemon/backup.ts";
import { mountGateway } from "../../src/surfaces/gateway/serve-mcp.ts";
import { mountApi } from "../../src/surfaces/mount-api.ts";
import { testChromium } from "./chromium.ts";
import { borrowProfile, type Profile, sharedBrowser } from "./shared-browser.ts";
import { ADMIN_TOKEN } from "./test-api.ts";
import { type TestHub, type TestHubSetup, testHub } from "./test-hub.ts";

const BUILT = join(import.meta.dirname, "../../dist/dashboard");
const program = testChromium();

/** Why there is no dashboard to test; undefined where there is. */
export const withoutDashboard =
  program === undefined
    ? "no Chromium"
    : existsSync(join(BUILT, "index.html"))
      ? undefined
      : "dist/dashboard is not built";

export interface TestDashboard extends TestHub {
  readonly url: string;
  /** As an admin, past the browser. */
  api<T>(method: string, path: string, body?: object): Promise<T>;
  /** A browser of its own, signed in as the owner or as `person`, at `path`. */
  open(path?: string, options?: Opened): Promise<Page>;
  /** What the pages complained about: errors of scripts, and what the policy refused. */
  readonly complaints: string[];
}

interface Opened {
  readonly person?: string;
  readonly context?: BrowserContextOptions;
}

const DESK = { width: 1280, height: 800 };

/** The dashboard over a real hub that listens on a free port. */
export async function testDashboard(setup: TestHubSetup = {}): Promise<TestDashboard> {
  const tested = await testHub(setup);
  const app = Fastify({ forceCloseConnections: true });
  app.setNotFoundHandler(answerUnknownRoute);
  let url = "";
  const complaints: string[] = [];
  const profiles: Profile[] = [];
  await mountApi(app, tested.hub, {
    log: silentLog,
    version: "1.2.3",
    clock: systemClock,
    adminToken: ADMIN_TOKEN,
    dashboard: BUILT,
    url: () => url,
    config: () => ({ settings: {}, files: [], warnings: [] }),
    backup: () =>
      createBackup({
        store: tested.hub.store,
        home: tested.home,
        env: {},
        version: "1.2.3",
        clock: systemClock,
      }),
    reloadSettings: async () => {
      const env = { TOOLKEEP_HOME: tested.home };
      await tested.hub.apply(await loadHomeSettings({ cwd: tested.home, env, isTrusted: () => false }));
    },
  });
  mountGateway(app, tested.hub, { log: silentLog, version: "1.2.3" });
  url = await listen(app);
  const api = <T>(method: string, path: string, body?: object) => request<T>(url, method, path, body);
  return {
    ...tested,
    url,
    api,
    complaints,
    async open(path = "/", { person, context: { viewport = DESK, ...options } = {} } = {}) {
      const profile = await borrowProfile(url, options);
      profiles.push(profile);
      const { context, page } = profile;
      const link = await api<{ url: string }>("POST", "/login-links", person === undefined ? {} : { person });
      // What the button of that page does; `signIn` presses it.
      const code = new URL(link.url).searchParams.get("code")!;
      const headers = { origin: url };
      await context.request.post(`${url}/login`, { form: { code }, headers, maxRedirects: 0 });
      if (viewport) await page.setViewportSize(viewport);
      noteComplaints(context, complaints);
      await page.goto(`${url}${path}`);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      return page;
    },
    async [Symbol.asyncDispose]() {
      // A page that is left open looks for its daemon for as long as the browser lives.
      await Promise.all(profiles.map((profile) => profile[Symbol.asyncDispose]()));
      await app.close();
      await tested[Symbol.asyncDispose]();
    },
  };
}

let port = 0;

/**
 * Where the one before listened, if that one is gone: its files are in the browser's cache then, compiled. To do that again
 * for every test was a third of the CPU of opening a page.
 */
async function listen(app: FastifyInstance): Promise<string> {
  const host = "127.0.0.1";
  const url = await app.listen({ host, port }).catch(() => app.listen({ host, port: 0 }));
  port = Number(new URL(url).port);
  return url;
}

interface SignIn {
  readonly link: string;
  readonly url: string;
  readonly path: string;
  readonly complaints: string[];
}

/** Follows a login link in a new browser, presses its button and goes to `path`. Whoever calls closes what it is in. */
export async function signIn({ link, url, path, complaints }: SignIn): Promise<Page> {
  const context = await (await sharedBrowser()).newContext({ viewport: DESK });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  noteComplaints(context, complaints);
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${url}/`);
  if (path !== "/") await page.goto(`${url}${path}`);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  return page;
}

function noteComplaints(context: BrowserContext, complaints: string[]): void {
  context.on("weberror", (thrown) => complaints.push(String(thrown.error())));
  context.on("console", (message) => {
    if (/Content Security Policy|TrustedHTML|TrustedScript/.test(message.text()))
      complaints.push(message.text());
  });
}

async function request<T>(url: string, method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(`${url}/api${path}`, {
    method,
    headers: {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      ...(body ? { "content-type": "application/json" } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}
