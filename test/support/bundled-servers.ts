import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const MODULES = join(import.meta.dirname, "../../node_modules");
const PACKAGES = join(MODULES, "@modelcontextprotocol");
const versionOf = (name: string): string =>
  createRequire(import.meta.url)(join(PACKAGES, name, "package.json")).version;
const BUNDLED = join(
  MODULES,
  ".cache",
  `servers-${versionOf("server-everything")}-${versionOf("server-filesystem")}`,
);

/** Where `bundleServers` has put a server of npm, to be started with Node. */
export const bundledServer = (name: "everything" | "filesystem") => join(BUNDLED, "servers", `${name}.js`);

/** Puts each server of npm into a few files, once for a version of it: hundreds take more than twice the CPU to load. */
export async function bundleServers(): Promise<void> {
  if (existsSync(BUNDLED)) return;
  const { rolldown } = await import("rolldown");
  const made = await mkdtemp(`${MODULES}/.servers-`);
  const entry = (name: string) => join(PACKAGES, `server-${name}`, "dist/index.js");
  const build = await rolldown({
    input: { everything: entry("everything"), filesystem: entry("filesystem") },
    platform: "node",
    logLevel: "silent",
  });
  await build.write({ dir: join(made, "servers"), format: "esm" });
  await build.close();
  // It reads these beside itself.
  await cp(join(dirname(entry("everything")), "docs"), join(made, "docs"), { recursive: true });
  await mkdir(dirname(BUNDLED), { recursive: true });
  // Another run may have been faster.
  await rename(made, BUNDLED).catch(() => rm(made, { recursive: true }));
}
