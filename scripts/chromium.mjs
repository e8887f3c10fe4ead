/**
 * Finds a Chromium for the tests, and installs it where that is possible without asking. `scripts/prepare.mjs` calls this
 * before the tests, `test/support/chromium.ts` uses what it found.
 */
import { installWithApt, onPath } from "./apt.mjs";

const HEADLESS_SHELL = "chromium-headless-shell";
const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** The program, or the reason why there is none. */
export function ensureChromium() {
  if (!onPath(HEADLESS_SHELL)) installWithApt("Chromium's headless shell", HEADLESS_SHELL);
  const found = findChromium();
  if (found) return { program: found };
  const failed = installWithApt("Chromium", "chromium");
  if (failed) return { missing: failed };
  const installed = findChromium();
  return installed ? { program: installed } : { missing: "Chromium was installed, but cannot be found" };
}

/**
 * A Chromium without the parts that show windows, which costs a quarter less CPU for pages of our own; another where it is
 * not there. Brought beside the other by `ensureChromium`.
 */
export function findHeadlessShell() {
  return onPath(HEADLESS_SHELL) ?? findChromium();
}

/** Installs nothing. */
export function findChromium() {
  return NAMES.map(onPath).find((file) => file !== undefined);
}
