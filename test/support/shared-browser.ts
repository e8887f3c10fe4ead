import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core";
import { findHeadlessShell } from "../../scripts/chromium.mjs";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // With this, the pages of a profile are one process, which `heldOpen` keeps.
  "--process-per-site",
];

let browser: Promise<Browser> | undefined;

/** One for all files of a worker. It ends when the worker does, however that happens: they hold a pipe between them. */
export function sharedBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: findHeadlessShell()!, args: FLAGS });
  return browser;
}

/** What a person has who sits at a machine of their own: cookies, permissions and pages, none of them in the beginning. */
export interface Profile extends AsyncDisposable {
  readonly context: BrowserContext;
}

interface Kept {
  readonly context: BrowserContext;
  /** Forgets what an address stored. */
  forget(origin: string): Promise<void>;
}

/** Those that nobody uses now, by their options. */
const free = new Map<string, Kept[]>();

/**
 * A profile for pages at `origin`. One that nobody uses any more is taken again, without all that was in it: half of the
 * CPU of opening a page went into the new process that the first page of a profile needs.
 */
export async function borrowProfile(origin: string, options: BrowserContextOptions = {}): Promise<Profile> {
  const key = JSON.stringify(options);
  const kept = free.get(key)?.pop() ?? (await heldOpen(options));
  return {
    context: kept.context,
    async [Symbol.asyncDispose]() {
      const { context } = kept;
      // The first one holds the process.
      await Promise.all(
        context
          .pages()
          .slice(1)
          .map((page) => page.close()),
      );
      await Promise.all([context.clearCookies(), context.clearPermissions(), kept.forget(origin)]);
      await context.unrouteAll();
      free.set(key, [...(free.get(key) ?? []), kept]);
    },
  };
}

async function heldOpen(options: BrowserContextOptions): Promise<Kept> {
  const context = await (await sharedBrowser()).newContext(options);
  context.setDefaultTimeout(10_000);
  const holder = await context.newPage();
  await holder.route("**/*", (route) => route.fulfill({ body: "", contentType: "text/html" }));
  await holder.goto("http://127.0.0.1/");
  const client = await context.newCDPSession(holder);
  return {
    context,
    forget: (origin) =>
      client.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" }).then(() => {}),
  };
}
