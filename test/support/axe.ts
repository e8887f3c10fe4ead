import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

interface Found {
  readonly id: string;
  readonly impact: string | null;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
}

const source = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds serious or critical on a page, light and dark; each as one line. Dark differs by its colours alone. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const findings: string[] = [];
  // A world of its own: the policy of the page forbids other scripts, as it should.
  const client = await page.context().newCDPSession(page);
  const { frameTree } = await client.send("Page.getFrameTree");
  const { executionContextId } = await client.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
    worldName: "axe",
  });
  await client.send("Runtime.evaluate", { expression: await source, contextId: executionContextId });
  for (const [scheme, rules] of [
    ["light", ""],
    ["dark", ", runOnly: ['color-contrast', 'link-in-text-block']"],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    const ran = await client.send("Runtime.evaluate", {
      expression: `axe.run(document, { resultTypes: ['violations']${rules} }).then((run) => run.violations)`,
      contextId: executionContextId,
      awaitPromise: true,
      returnByValue: true,
    });
    if (ran.exceptionDetails) throw new Error(`axe did not run: ${ran.exceptionDetails.text}`);
    for (const { id, impact, help, nodes } of ran.result.value as Found[]) {
      if (impact !== "serious" && impact !== "critical") continue;
      findings.push(`${scheme}: ${id}: ${help}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
    }
  }
  await client.detach();
  return findings;
}
