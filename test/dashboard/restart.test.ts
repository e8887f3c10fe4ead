import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { signIn, withoutDashboard } from "../support/dashboard.ts";
import { tempHome } from "../support/temp-home.ts";
import { serve, toolkeepJson } from "../support/toolkeep.ts";

describe.skipIf(withoutDashboard)("a daemon that restarts", () => {
  it("is found again by the page, which then shows what changed meanwhile and keeps what was typed", async () => {
    await using home = await tempHome();
    const port = await freePort();
    const at = { home: home.path, env: { TOOLKEEP_PORT: String(port) } };
    const complaints: string[] = [];
    const first = await serve(at);
    const { url: link } = await toolkeepJson(at, "open");
    const page = await signIn({ link, url: first.url, path: "/servers?add=form", complaints });
    await using _ = page.context();
    await page.getByLabel("Name", { exact: true }).fill("half-typed");
    await first.end();
    await page.getByText("Connection lost. Reconnecting").waitFor();

    // While nobody serves, something changes.
    const settings = { mcp: { meanwhile: { url: "http://127.0.0.1:9/mcp" } } };
    await writeFile(join(home.path, "config.json"), JSON.stringify(settings));
    await using second = await serve(at);
    expect(second.url).toBe(first.url);
    await page.getByText("Connection lost. Reconnecting").waitFor({ state: "detached" });
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("half-typed");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "meanwhile" }).waitFor();
    expect(complaints).toEqual([]);
  }, 90_000);
});

/** The page finds the daemon only where it was: this once, a port that is free now. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
