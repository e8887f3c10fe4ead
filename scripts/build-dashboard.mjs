// Builds dashboard/ into dist/dashboard, compressed in advance. `scripts/build.mjs` calls it; it does nothing when the
// result is newer than every source.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { newestTime } from "./newest-time.mjs";

const OUT = "dist/dashboard";
const STAMP = `${OUT}/index.html`;
const SOURCES = [
  ...["src", "index.html", "package.json", "tsconfig.json", "vite.config.ts"].map(
    (name) => `dashboard/${name}`,
  ),
  "scripts/build-dashboard.mjs",
  "package-lock.json",
];

export async function buildDashboard() {
  if (isCurrent()) return;
  const { build } = await import("vite");
  await build({ configFile: "dashboard/vite.config.ts", logLevel: "warn" });
  for (const name of readdirSync(join(OUT, "assets"))) compress(join(OUT, "assets", name));
  // Last, so that a build which was interrupted is made again.
  writeFileSync(STAMP, readFileSync(STAMP));
}

function isCurrent() {
  const built = statSync(STAMP, { throwIfNoEntry: false })?.mtimeMs;
  return built !== undefined && built > newestTime(SOURCES);
}

function compress(file) {
  const content = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  writeFileSync(
    `${file}.br`,
    brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  );
}
