import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const CACHE = process.env.TOOLKEEP_SERVERS_DIR ?? join(tmpdir(), "toolkeep-servers");
const INSTALL_MS = 600_000;

/** The script that starts an exact version of a package, installed into the cache where it is not there yet. */
export async function installed(spec) {
  const name = spec.slice(0, spec.lastIndexOf("@"));
  const prefix = join(CACHE, spec.replaceAll("/", "-"));
  const folder = join(prefix, "node_modules", name);
  if (!existsSync(join(folder, "package.json"))) {
    console.log(`installing ${spec} into ${prefix} …`);
    await mkdir(prefix, { recursive: true });
    const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
    await promisify(execFile)("npm", ["install", "--prefix", prefix, ...quiet, spec], {
      cwd: prefix,
      timeout: INSTALL_MS,
    });
  }
  const { bin } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  return join(folder, typeof bin === "string" ? bin : Object.values(bin)[0]);
}
