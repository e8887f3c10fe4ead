import { findProgram } from "../../../machine/process/find-program.ts";

/** As the packages of the systems name it; last the one without windows, which shows no PDF. */
const NAMES = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
  "chromium-headless-shell",
];
const PLACES = [
  "/usr/bin/chromium",
  "/snap/bin/chromium",
  "/opt/google/chrome/chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** The program that people chose, else the first that is there; undefined: none. */
export async function findChromium(
  chosen: string | null,
  path: string | undefined,
): Promise<string | undefined> {
  if (chosen !== null) return findProgram(chosen, path);
  for (const name of [...NAMES, ...PLACES]) {
    const found = await findProgram(name, path);
    if (found !== undefined) return found;
  }
  return undefined;
}
