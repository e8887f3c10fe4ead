/**
 * What `npm run test:deep` runs and `npm test` leaves out: random runs at length, kill loops, fault matrices, whole catalogues and pages in every
 * scheme. Each behaviour in here is guarded once by a test that `npm test` runs.
 */
export const DEEP: readonly string[] = [
  "test/faults/*.test.ts",
  "test/e2e/audit-crash.test.ts",
  "test/e2e/catalogue.test.ts",
  "test/knowledge/index/quality.test.ts",
  "test/knowledge/sync/kill.test.ts",
  "test/vault/every-base64.test.ts",
];
