import { findProgram } from "../../../machine/process/find-program.ts";

/** Names used by package managers. The headless shell comes last because it cannot show PDFs. */
const NAMES = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
  "chromium-headless-shell",
];
const PATHS = [
  "/usr/bin/chromium",
  "/snap/bin/chromium",
  "/opt/google/chrome/chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** The configured program, otherwise the first one installed; undefined if there is none. */
export async function findChromium(
  chosen: string | null,
  path: string | undefined,
): Promise<string | undefined> {
  if (chosen !== null) return findProgram(chosen, path);
  for (const name of [...NAMES, ...PATHS]) {
    const program = await findProgram(name, path);
    if (program !== undefined) return program;
  }
  return undefined;
}
