/**
 * What `npm run test:deep` runs and `npm test` leaves out: random runs at length, kill loops, fault matrices, whole catalogues, large files and pages
 * in every scheme. Each behaviour in here is guarded once by a test that `npm test` runs.
 */
export const DEEP: readonly string[] = [
  "test/catalog/search/ungranted-random.test.ts",
  "test/dashboard/axe.test.ts",
  "test/dashboard/phone.test.ts",
  "test/e2e/audit-crash.test.ts",
  "test/e2e/catalogue.test.ts",
  "test/e2e/kill.test.ts",
  "test/e2e/lost-home.test.ts",
  "test/e2e/npm-start.test.ts",
  "test/faults/*.test.ts",
  "test/gateway/ungranted-random.test.ts",
  "test/knowledge/index/quality.test.ts",
  "test/knowledge/parse/long-line.test.ts",
  "test/knowledge/sync/hostile-files.test.ts",
  "test/knowledge/sync/kill.test.ts",
  "test/native/web/hostile-html.test.ts",
  "test/packed.test.ts",
  "test/vault/every-base64.test.ts",
];
