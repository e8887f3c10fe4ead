import { findChromium, findHeadlessShell } from "../../scripts/chromium.mjs";

/** The browser of the tests; `scripts/prepare.mjs --test` brings it where it can. */
export function testChromium(): string | undefined {
  const program = findChromium();
  if (program === undefined)
    console.warn(
      "The tests with a browser are left out: no Chromium is installed (apt-get install chromium).",
    );
  return program;
}

/** The one that people mostly have, and the one without windows, which takes a third of the CPU; each where it is there. */
export function testBrowsers(): { readonly usual: string | undefined; readonly cheap: string | undefined } {
  return { usual: testChromium(), cheap: findHeadlessShell() };
}
