import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/postgres-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Child processes, databases and sockets share two cores: more workers only make each other slow.
    maxWorkers: 2,
    restoreMocks: true,
    reporters: ["default", "./test/support/closing-line.ts"],
  },
});
