import type { Capability } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { PluginPermissions } from "./contract.ts";

export const NO_PERMISSIONS: PluginPermissions = {
  network: false,
  files: "none",
  env: [],
  secrets: [],
  childProcesses: false,
};

const MAX_NAMES = 50;
const HOST = /^(\*\.)?[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:\d{1,5})?$/i;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
const SECRET = /^[A-Za-z0-9_.-]{1,100}$/;
/** Toolkeep's own variables, and those that would change how the plugin's process is started. */
const REFUSED_VARIABLE = /^(TOOLKEEP_.*|DATABASE_URL|PROCESS_TREE|NODE_OPTIONS|LD_.*|DYLD_.*)$/;

/** Reads the `permissions` of a plugin. An unknown key is an error, because it could be neither shown nor enforced. */
export function readPermissions(declared: unknown): Result<PluginPermissions, string> {
  if (declared === undefined) return ok(NO_PERMISSIONS);
  if (!isRecord(declared)) return err("permissions: expected an object");
  const unknown = Object.keys(declared).find((key) => !Object.hasOwn(NO_PERMISSIONS, key));
  if (unknown !== undefined)
    return err(
      `permissions: unknown key ${JSON.stringify(unknown.slice(0, 80))}; expected ${Object.keys(NO_PERMISSIONS).join(", ")}`,
    );
  const { network = false, files = "none", env = [], secrets = [], childProcesses = false } = declared;
  if (typeof network !== "boolean" && !isListOf(network, HOST))
    return err(`permissions.network: expected true, false or a list of at most ${MAX_NAMES} hosts`);
  if (files !== "none" && files !== "read" && files !== "write")
    return err('permissions.files: expected "none", "read" or "write"');
  if (!isListOf(env, VARIABLE))
    return err(`permissions.env: expected a list of at most ${MAX_NAMES} names of variables`);
  const refused = env.find((name) => REFUSED_VARIABLE.test(name));
  if (refused !== undefined) return err(`permissions.env: ${refused} is never passed to plugins`);
  if (!isListOf(secrets, SECRET))
    return err(`permissions.secrets: expected a list of at most ${MAX_NAMES} names of secrets`);
  if (typeof childProcesses !== "boolean") return err("permissions.childProcesses: expected true or false");
  return ok({
    network: typeof network === "boolean" ? network : network.length > 0 && unique(network),
    files,
    env: unique(env),
    secrets: unique(secrets),
    childProcesses,
  });
}

/** Stored permissions, with everything missing denied. */
export function completePermissions(kept: Readonly<Record<string, unknown>>): PluginPermissions {
  return { ...NO_PERMISSIONS, ...kept };
}

/** The capabilities of its tools, for rules. */
export function getCapabilities(permissions: PluginPermissions): readonly Capability[] {
  const { network, files, secrets, childProcesses } = permissions;
  return [
    ...(files === "none" ? [] : (["fs.read"] as const)),
    ...(files === "write" ? (["fs.write"] as const) : []),
    ...(network === false ? [] : (["net"] as const)),
    ...(childProcesses ? (["shell"] as const) : []),
    ...(secrets.length === 0 ? [] : (["secrets"] as const)),
  ];
}

/** Describes the permissions for people, one per entry. Equal permissions have equal texts. */
export function describePermissions(permissions: PluginPermissions): readonly string[] {
  const { network, files, env, secrets, childProcesses } = permissions;
  const words = [
    ...(network === true ? ["reach any host on the network"] : []),
    ...(Array.isArray(network) ? network.map((host) => `reach ${host} on the network`) : []),
    ...(files === "none" ? [] : ["read the files in the calling agent's workspace"]),
    ...(files === "write" ? ["change the files in the calling agent's workspace"] : []),
    ...env.map((name) => `read the variable ${name} of the daemon's environment`),
    ...secrets.map((name) => `use the secret ${name}`),
    ...(childProcesses ? ["start other programs, which can do everything your user can"] : []),
  ];
  return words;
}

/** Describes what `wanted` allows and `agreed` did not. */
export function describeAdded(agreed: PluginPermissions, wanted: PluginPermissions): readonly string[] {
  const before = new Set(describePermissions(agreed));
  // Permission to reach any host covers each single host.
  const isCovered = (word: string) =>
    before.has(word) || (agreed.network === true && / on the network$/.test(word));
  return describePermissions(wanted).filter((word) => !isCovered(word));
}

function isListOf(value: unknown, form: RegExp): value is string[] {
  return (
    Array.isArray(value) &&
    value.length <= MAX_NAMES &&
    value.every((item) => typeof item === "string" && form.test(item))
  );
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort();
}
