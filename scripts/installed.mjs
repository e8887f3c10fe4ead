// Packages that a command needs and `npm install` does not bring: installed when first wanted, kept for the next time.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const INSTALL_MS = 600_000;
const QUIET = ["--no-audit", "--no-fund", "--loglevel=error"];

/** The folder of an exact version of a package, installed into `cache` where it is not there yet. */
export async function installed(spec, cache) {
  const name = spec.slice(0, spec.lastIndexOf("@"));
  const prefix = join(cache, spec.replaceAll("/", "-"));
  const folder = join(prefix, "node_modules", name);
  if (!existsSync(join(folder, "package.json"))) {
    console.log(`installing ${spec} into ${prefix} …`);
    await mkdir(prefix, { recursive: true });
    await promisify(execFile)("npm", ["install", "--prefix", prefix, ...QUIET, spec], {
      cwd: prefix,
      timeout: INSTALL_MS,
    });
  }
  return folder;
}

/** A Node of at least `major.minor`: this one, or one that npm brings. */
export async function nodeOf([major, minor], spec, cache) {
  const [ownMajor = 0, ownMinor = 0] = process.versions.node.split(".").map(Number);
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return process.execPath;
  return join(await installed(spec, cache), "bin/node");
}
