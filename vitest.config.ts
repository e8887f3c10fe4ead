import { defineConfig } from "vitest/config";
import { DEEP, LONGER } from "./test/deep.ts";

/** `npm test` sets "quick", `npm run test:deep` sets "deep"; whoever names files to vitest may name any. */
const which = process.env.TOOLKEEP_TESTS;

export default defineConfig({
  test: {
    include: which === "deep" ? [...Object.keys(DEEP), ...LONGER] : ["test/**/*.test.ts"],
    exclude: which === "quick" ? Object.keys(DEEP) : [],
    globalSetup: ["test/support/postgres-setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two leave a quarter of two cores idle, waiting for child processes and the disk; more than three make each other slow.
    maxWorkers: 3,
    restoreMocks: true,
    // No module keeps state, so files share what is loaded: a third of the CPU of a run went into loading it again.
    isolate: false,
    reporters: ["default", "./test/support/closing-line.ts"],
  },
});
