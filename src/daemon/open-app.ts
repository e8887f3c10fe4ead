import { homeOf } from "../config/environment.ts";
import type { LoadedSettings } from "../config/load.ts";
import { ToolkeepError } from "../errors.ts";
import { createHub } from "../hub.ts";
import { type HomeLock, lockHome } from "../store/lock.ts";
import { type App, type AppInput, appOver } from "./app-over.ts";
import { loadTrustedSettings } from "./load-trusted.ts";

const COMMAND_LIMIT_MS = 10_000;

/** Takes the home, opens its hub, mounts the API. Throws STORE_LOCKED when another process has the home. */
export async function openApp(input: AppInput): Promise<App> {
  const home = homeOf(input.env, input.cwd);
  const lock = await takeHome(home, input.holder);
  try {
    const loaded = await loadTrustedSettings(input);
    const hub = await createHub({
      ...input,
      loaded: input.holder === "cli" ? withoutWaiting(loaded) : loaded,
    });
    return await appOver(hub, lock, input);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** A command has the home to itself, so nobody could answer a question while it waits: it ends, and is made again. */
function withoutWaiting(loaded: LoadedSettings): LoadedSettings {
  const { settings } = loaded;
  const questions = { ...settings.questions, waitMs: 0 };
  const approvals = { ...settings.approvals, waitMs: 0 };
  return { ...loaded, settings: { ...settings, questions, approvals } };
}

/** A command gives the home back in a moment, so a daemon that starts meanwhile waits for it; for a daemon it does not. */
async function takeHome(home: string, holder: AppInput["holder"]): Promise<HomeLock> {
  try {
    return await lockHome(home, { holder, waitMs: 0 });
  } catch (error) {
    const byCommand = error instanceof ToolkeepError && error.details?.holder === "cli";
    if (holder !== "daemon" || !byCommand) throw error;
    return lockHome(home, { holder, waitMs: COMMAND_LIMIT_MS });
  }
}
