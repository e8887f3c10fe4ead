// Builds dashboard/ into dist/dashboard, compressed in advance. `scripts/build.mjs` calls it; it does nothing when the
// result is newer than every source.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { newestTime } from "./newest-time.mjs";

const OUT = "dist/dashboard";
const STAMP = `${OUT}/index.html`;
/** Of the first load, compressed. */
const MOST_BYTES = 250_000;
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
  const bytes = firstLoadBytes(OUT);
  if (bytes > MOST_BYTES)
    throw new Error(`the first load of the dashboard is ${bytes} bytes compressed, of at most ${MOST_BYTES}`);
  // Last, so that a build which was interrupted is made again.
  writeFileSync(STAMP, readFileSync(STAMP));
}

/** What a browser with an empty cache reads before Home is there, compressed as over HTTP: the page, what it names, and what those import. */
export function firstLoadBytes(folder) {
  const page = readFileSync(join(folder, "index.html"), "utf8");
  const assets = readdirSync(join(folder, "assets"));
  const read = new Set();
  const follow = (name) => {
    if (read.has(name) || !assets.includes(name)) return;
    read.add(name);
    if (!name.endsWith(".js")) return;
    const script = readFileSync(join(folder, "assets", name), "utf8");
    for (const [, imported] of script.matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g)) follow(imported);
  };
  for (const [, name] of page.matchAll(/assets\/([^"]+)"/g)) follow(name);
  for (const name of assets) if (/^home-page.*\.js$/.test(name)) follow(name);
  const sizes = [...read].map((name) => statSync(join(folder, "assets", `${name}.gz`)).size);
  return gzipSync(page).length + sizes.reduce((sum, size) => sum + size, 0);
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
