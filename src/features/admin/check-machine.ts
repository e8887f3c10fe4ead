import { constants, existsSync } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { KEY_IN_FILE, loadKeys } from "../../call/vault/keys/key.ts";
import { broken, type Check, failed, ok, warning } from "../../contract/health.ts";
import type { Result } from "../../lib/result.ts";
import { checkFiles, type LoadOptions } from "../../machine/config/load.ts";
import type { Settings } from "../../machine/config/settings.ts";

const MIN_NODE = [20, 19];

/** Checks Node, home, key and settings, whether or not a daemon is running. Changes nothing. */
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
  const [minMajor, minMinor] = MIN_NODE as [number, number];
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return ok("node", version);
  return failed("node", `${version} is older than ${MIN_NODE.join(".")}`, "Install a newer Node.js.");
}

async function checkHome(home: string): Promise<Check> {
  const stats = await stat(home).catch(() => undefined);
  if (!stats) return checkParentFolder(home);
  if (!stats.isDirectory())
    return failed("home", `${home} is not a folder`, "Remove it, or set another TOOLKEEP_HOME.");
  try {
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return failed(
      "home",
      `${home} is not writable`,
      "Change its owner or mode, or set another TOOLKEEP_HOME.",
    );
  }
  const others = stats.mode & 0o077;
  return others
    ? warning("home", `other users can access ${home}`, `Fix it: chmod 700 ${home}`)
    : ok("home", home);
}

/** A home that does not exist yet needs a writable folder above it. */
async function checkParentFolder(home: string): Promise<Check> {
  let parent = dirname(home);
  while (!existsSync(parent)) parent = dirname(parent);
  try {
    await access(join(parent, "."), constants.W_OK | constants.X_OK);
    return ok("home", `${home} is created at the first start`);
  } catch {
    return failed(
      "home",
      `${home} does not exist and cannot be created in ${parent}`,
      "Change the owner or mode of that folder, or set another TOOLKEEP_HOME.",
    );
  }
}

async function checkKey(home: string, env: LoadOptions["env"]): Promise<Check> {
  const file = join(home, "key");
  const stats = env.TOOLKEEP_KEY ? undefined : await stat(file).catch(() => undefined);
  if (!env.TOOLKEEP_KEY && !stats) return ok("key", "is created at the first start");
  // Check the mode before loading, because loading fixes it.
  if (stats && stats.mode & 0o077)
    return warning("key", `other users can read ${file}`, `Fix it: chmod 600 ${file}`);
  try {
    const { isNotInKeyring } = await loadKeys({ home, env });
    if (isNotInKeyring)
      return warning(
        "key",
        KEY_IN_FILE,
        "Unlock or install the keyring, then run toolkeep secret rotate-key.",
      );
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
      failed("settings", message, "Fix it. toolkeep config check shows all problems."),
    ),
    ...warnings.map(({ message }) =>
      warning("settings", message, "Fix it, or ignore this: the setting has no effect."),
    ),
  ];
}

/** Without a sandbox, commands are not confined and servers that require one do not start. */
export function checkSandbox(sandbox: Result<void, string>, mode: Settings["shell"]["sandbox"]): Check {
  if (sandbox.ok && mode === "off")
    return warning(
      "sandbox",
      "bubblewrap works, but commands of run_shell are not confined (shell.sandbox is off)",
      "Set shell.sandbox to auto or required.",
    );
  if (sandbox.ok) return ok("sandbox", "bubblewrap works; commands of run_shell are confined");
  const shell = mode === "required" ? "commands of run_shell do not run" : "commands are not confined";
  return warning(
    "sandbox",
    `${sandbox.error}; ${shell}, and servers that require a sandbox do not start`,
    process.platform === "linux" ? "See docs/sandbox.md." : "Run Toolkeep on Linux where that matters.",
  );
}
