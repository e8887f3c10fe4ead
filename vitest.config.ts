import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/postgres-setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two leave a sixth of two cores idle, waiting for child processes and the disk; more than three make each other slow.
    maxWorkers: 3,
    restoreMocks: true,
    // A shared machine may starve a process for seconds. What needed another try is listed at the end of the run.
    retry: process.env.CI ? 2 : 0,
    // No module keeps state, so files share what is loaded: a third of the CPU of a run went into loading it again.
    isolate: false,
    reporters: ["default", "./test/support/closing-line.ts"],
  },
});
