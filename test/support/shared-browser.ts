import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { findHeadlessShell } from "../../scripts/chromium.mjs";
import { startKept } from "./own-children.ts";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // No page lives long enough for optimised code to pay for itself: a seventh of the CPU of a page.
  "--js-flags=--no-opt,--no-maglev",
];

let browser: Promise<Browser> | undefined;

/** One for all files of a worker. It ends when the worker does, however that happens: they hold a pipe between them. */
export function sharedBrowser(): Promise<Browser> {
  browser ??= startKept(() => chromium.launch({ executablePath: findHeadlessShell()!, args: FLAGS }));
  return browser;
}

/** What a person has who sits at a machine of their own: cookies, permissions and a page, with nothing in them yet. */
export interface Profile extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
}

/** Those that nobody uses now, by their options. */
const free = new Map<string, Page[]>();

/**
 * A profile for `origin`, which must still answer when it is given back. One that nobody uses any more is taken again,
 * without all that was in it: two thirds of the CPU of opening a page went into the new process and what it had to compile.
 * Init scripts alone cannot be taken back: they belong on another page of the profile.
 */
export async function borrowProfile(origin: string, options: BrowserContextOptions = {}): Promise<Profile> {
  const key = JSON.stringify(options);
  const page = free.get(key)?.pop() ?? (await newProfile(options));
  const context = page.context();
  return {
    context,
    page,
    async [Symbol.asyncDispose]() {
      try {
        await empty(page, origin);
        free.set(key, [...(free.get(key) ?? []), page]);
      } catch {
        await context.close();
      }
    },
  };
}

async function newProfile(options: BrowserContextOptions): Promise<Page> {
  const context = await (await sharedBrowser()).newContext(options);
  context.setDefaultTimeout(10_000);
  return context.newPage();
}

async function empty(page: Page, origin: string): Promise<void> {
  const context = page.context();
  const others = context.pages().filter((other) => other !== page);
  await Promise.all(others.map((other) => other.close()));
  await Promise.all([context.unrouteAll(), page.unrouteAll()]);
  for (const heard of ["console", "dialog", "download", "pageerror", "request", "response"])
    page.removeAllListeners(heard);
  for (const heard of ["console", "page", "weberror"]) context.removeAllListeners(heard);
  // Not away from the origin: the process would not stay.
  await page.goto(`${origin}/health`);
  await page.evaluate("sessionStorage.clear(); localStorage.clear()");
  await Promise.all([context.clearCookies(), context.clearPermissions()]);
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}
