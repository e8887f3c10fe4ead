import type { Reporter, TestModule } from "vitest/node";

/**
 * Ends the run with one plain line, `N passed, N failed`, that any CI can read. Before it stands every test that did not pass
 * at its first try, so that a second one hides nothing.
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    const flaky: string[] = [];
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        counts[test.result().state] += 1;
        if (test.diagnostic()?.flaky) flaky.push(`${module.relativeModuleId}: ${test.fullName}`);
      }
    }
    if (flaky.length > 0)
      console.log(`passed only when tried again:\n${flaky.map((test) => `  ${test}\n`).join("")}`);
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
    console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
  }
}
