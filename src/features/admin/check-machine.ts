import { constants, existsSync } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { KEY_IN_FILE, loadKeys } from "../../call/vault/keys/key.ts";
import { broken, type Check, failed, ok, warning } from "../../contract/health.ts";
import type { Result } from "../../lib/result.ts";
import { checkFiles, type LoadOptions } from "../../machine/config/load.ts";
import type { Settings } from "../../machine/config/settings.ts";

const NODE_FLOOR = [20, 19];

/** What Toolkeep stands on here, as far as it can be looked at whether or not a daemon runs. Changes nothing. */
export async function checkMachine(place: Omit<LoadOptions, "given"> & { home: string }): Promise<Check[]> {
  const { home, env } = place;
  return [
    checkNode(process.versions.node),
    await checkHome(home),
    await checkKey(home, env),
    ...(await checkSettings(place)),
  ];
}

function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [wantedMajor, wantedMinor] = NODE_FLOOR as [number, number];
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return ok("node", version);
  return failed("node", `${version} is older than ${NODE_FLOOR.join(".")}`, "Install a newer Node.js.");
}

async function checkHome(home: string): Promise<Check> {
  const found = await stat(home).catch(() => undefined);
  if (!found) return checkPlaceFor(home);
  if (!found.isDirectory())
    return failed("home", `${home} is no folder`, "Remove it, or set another TOOLKEEP_HOME.");
  try {
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return failed("home", `${home} cannot be written`, "Make it yours, or set another TOOLKEEP_HOME.");
  }
  const others = found.mode & 0o077;
  return others
    ? warning("home", `${home} is open to others`, `Close it: chmod 700 ${home}`)
    : ok("home", home);
}

/** A home that is not there yet needs a folder above it that can be written. */
async function checkPlaceFor(home: string): Promise<Check> {
  let above = dirname(home);
  while (!existsSync(above)) above = dirname(above);
  try {
    await access(join(above, "."), constants.W_OK | constants.X_OK);
    return ok("home", `${home} is made at the first start`);
  } catch {
    return failed(
      "home",
      `${home} does not exist and cannot be made in ${above}`,
      "Make it yours, or set another TOOLKEEP_HOME.",
    );
  }
}

async function checkKey(home: string, env: LoadOptions["env"]): Promise<Check> {
  const file = join(home, "key");
  const found = env.TOOLKEEP_KEY ? undefined : await stat(file).catch(() => undefined);
  if (!env.TOOLKEEP_KEY && !found) return ok("key", "is made at the first start");
  // Before it is loaded, which closes it.
  if (found && found.mode & 0o077)
    return warning("key", `${file} is open to others`, `Close it: chmod 600 ${file}`);
  try {
    const { isNotInKeyring } = await loadKeys({ home, env });
    if (isNotInKeyring)
      return warning("key", KEY_IN_FILE, "Unlock or install the keyring, then toolkeep secret rotate-key.");
    return ok("key", env.TOOLKEEP_KEY ? "from TOOLKEEP_KEY" : file);
  } catch (error) {
    return broken("key", error);
  }
}

async function checkSettings(place: LoadOptions): Promise<Check[]> {
  const { problems, warnings } = await checkFiles(place);
  if (problems.length + warnings.length === 0) return [ok("settings", "valid")];
  return [
    ...problems.map(({ message }) =>
      failed("settings", message, "Correct it; toolkeep config check shows all."),
    ),
    ...warnings.map(({ message }) =>
      warning("settings", message, "Correct it, or leave it: it has no effect."),
    ),
  ];
}

/** Without it commands are not confined, and servers that require it do not start. */
export function checkSandbox(works: Result<void, string>, mode: Settings["shell"]["sandbox"]): Check {
  if (works.ok && mode === "off")
    return warning(
      "sandbox",
      "bubblewrap works, but commands of run_shell are not confined (shell.sandbox is off)",
      "Set shell.sandbox to auto or required.",
    );
  if (works.ok) return ok("sandbox", "bubblewrap works; commands of run_shell are confined");
  const shell = mode === "required" ? "commands of run_shell do not run" : "commands are not confined";
  return warning(
    "sandbox",
    `${works.error}; ${shell}, and servers that require a sandbox do not start`,
    process.platform === "linux" ? "See docs/sandbox.md." : "Run Toolkeep on Linux where that matters.",
  );
}
