import { BASE } from "./base.ts";

const RELOADED_KEY = "toolkeep.reloaded";
const RETRY_MS = 1_000;

/**
 * Loads a lazy chunk. Waits without a limit while the daemon is unreachable. A chunk that a newer daemon no longer has reloads
 * the page, once; if that does not help, throws what `load` threw.
 */
export async function loadChunk<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load().then(clearReloadMark);
  } catch {
    await waitForDaemon();
  }
  try {
    return await load().then(clearReloadMark);
  } catch (error) {
    if (sessionStorage.getItem(RELOADED_KEY) === location.pathname) throw error;
    sessionStorage.setItem(RELOADED_KEY, location.pathname);
    location.reload();
    return new Promise(() => {});
  }
}

function clearReloadMark<T>(loaded: T): T {
  sessionStorage.removeItem(RELOADED_KEY);
  return loaded;
}

/** Resolves when the daemon itself answers, even with 401. A 5xx may come from a proxy in front of it. */
async function waitForDaemon(): Promise<void> {
  for (;;) {
    const answer = await fetch(`${BASE}/api/session`).catch(() => undefined);
    if (answer !== undefined && answer.status < 500) return;
    await new Promise((resolve) => window.setTimeout(resolve, RETRY_MS));
  }
}
