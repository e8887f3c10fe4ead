import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installed } from "../installed.mjs";

const CACHE = process.env.TOOLKEEP_SERVERS_DIR ?? join(tmpdir(), "toolkeep-servers");

/** The script that starts an exact version of a package. */
export async function startScript(spec) {
  const folder = await installed(spec, CACHE);
  const { bin } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  return join(folder, typeof bin === "string" ? bin : Object.values(bin)[0]);
}
