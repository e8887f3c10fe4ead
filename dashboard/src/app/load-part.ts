import { BASE } from "./base.ts";

const RELOADED = "toolkeep.reloaded";
const RETRY_MS = 1_000;

/**
 * Loads a part of the program that is not there yet. While the daemon does not answer it waits, for as long as that takes;
 * a part that a newer daemon no longer has loads the page anew, once. Throws what `load` threw where that did not help.
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load().then(forgetReload);
  } catch {
    await answers();
  }
  try {
    return await load().then(forgetReload);
  } catch (error) {
    if (sessionStorage.getItem(RELOADED) === location.pathname) throw error;
    sessionStorage.setItem(RELOADED, location.pathname);
    location.reload();
    return new Promise(() => {});
  }
}

function forgetReload<T>(loaded: T): T {
  sessionStorage.removeItem(RELOADED);
  return loaded;
}

/** The daemon, not only a proxy before it, says something; be it that the session is over. */
async function answers(): Promise<void> {
  for (;;) {
    const answer = await fetch(`${BASE}/api/session`).catch(() => undefined);
    if (answer !== undefined && answer.status < 500) return;
    await new Promise((resolve) => window.setTimeout(resolve, RETRY_MS));
  }
}
