import type { Reporter, TestModule } from "vitest/node";

/** Ends the run with one plain line, `N passed, N failed`, that any CI can read. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules)
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
    console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
  }
}
