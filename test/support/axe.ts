import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { sampleOf } from "./length.ts";

interface Found {
  readonly id: string;
  readonly impact: string | null;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
}

const source = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Only these are reported, and what a rule finds is as bad as the rule says; the rest would be looked for in vain. */
const RULES = `axe.getRules().map(({ ruleId }) => ruleId).filter((id) => {
  const { impact, enabled, tags } = axe._audit.rules.find((rule) => rule.id === id);
  return enabled && /^(serious|critical)$/.test(impact) && !tags.includes("experimental") && !tags.includes("deprecated");
})`;

const SCHEMES = [
  ["light", RULES],
  ["dark", "['color-contrast', 'link-in-text-block']"],
] as const;

/**
 * What axe finds serious or critical on a page; each as one line. Dark differs by its colours alone, and is for runs at
 * length.
 */
export async function seriousFindings(page: Page): Promise<string[]> {
  const findings: string[] = [];
  const evaluate = await axeIn(page);
  for (const [scheme, rules] of sampleOf(SCHEMES, 1)) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    // No rule of these needs the style sheets, which axe would fetch once more.
    const found = await evaluate(
      `axe.run(document, { resultTypes: ['violations'], preload: false, runOnly: ${rules} }).then((run) => run.violations)`,
    );
    for (const { id, impact, help, nodes } of found as Found[]) {
      if (impact !== "serious" && impact !== "critical") continue;
      findings.push(`${scheme}: ${id}: ${help}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
    }
  }
  return findings;
}

type Evaluate = (expression: string) => Promise<unknown>;

/** By page, for as long as its document is the same: what was used before runs twice as fast. */
const prepared = new WeakMap<Page, Evaluate>();

async function axeIn(page: Page): Promise<Evaluate> {
  const before = prepared.get(page);
  if (before && (await before("typeof axe").catch(() => undefined)) === "object") return before;
  // A world of its own: the policy of the page forbids other scripts, as it should.
  const client = await page.context().newCDPSession(page);
  const { frameTree } = await client.send("Page.getFrameTree");
  const { executionContextId: contextId } = await client.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
    worldName: "axe",
  });
  const evaluate: Evaluate = async (expression) => {
    const ran = await client.send("Runtime.evaluate", {
      expression,
      contextId,
      awaitPromise: true,
      returnByValue: true,
    });
    if (ran.exceptionDetails) throw new Error(`axe did not run: ${ran.exceptionDetails.text}`);
    return ran.result.value;
  };
  await evaluate(`${await source}; 0`);
  prepared.set(page, evaluate);
  return evaluate;
}
