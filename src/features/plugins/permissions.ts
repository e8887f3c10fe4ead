import type { Capability } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";

/** What a plugin says it needs. Nothing else is given to it. */
export interface PluginPermissions {
  /** Hosts it wants to reach; true: any, false: none. */
  readonly network: boolean | readonly string[];
  /** Of the workspace of the agent that calls. */
  readonly files: "none" | "read" | "write";
  /** Variables of the daemon's environment. */
  readonly env: readonly string[];
  /** Secrets of the vault. */
  readonly secrets: readonly string[];
  /** Whether it may start other programs. */
  readonly childProcesses: boolean;
}

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
/** Toolkeep's own, and what would change what the process of a plugin is. */
const REFUSED_VARIABLE = /^(TOOLKEEP_.*|DATABASE_URL|PROCESS_TREE|NODE_OPTIONS|LD_.*|DYLD_.*)$/;

/** Reads `permissions` of a plugin. One that is not known cannot be shown or held, so it is an error. */
export function readPermissions(declared: unknown): Result<PluginPermissions, string> {
  if (declared === undefined) return ok(NO_PERMISSIONS);
  if (!isRecord(declared)) return err("permissions: expected an object");
  const unknown = Object.keys(declared).find((key) => !Object.hasOwn(NO_PERMISSIONS, key));
  if (unknown !== undefined)
    return err(
      `permissions: unknown key ${JSON.stringify(unknown.slice(0, 80))}; there are ${Object.keys(NO_PERMISSIONS).join(", ")}`,
    );
  const { network = false, files = "none", env = [], secrets = [], childProcesses = false } = declared;
  if (typeof network !== "boolean" && !isListOf(network, HOST))
    return err(`permissions.network: expected true, false or a list of at most ${MAX_NAMES} hosts`);
  if (files !== "none" && files !== "read" && files !== "write")
    return err('permissions.files: expected "none", "read" or "write"');
  if (!isListOf(env, VARIABLE))
    return err(`permissions.env: expected a list of at most ${MAX_NAMES} names of variables`);
  const refused = env.find((name) => REFUSED_VARIABLE.test(name));
  if (refused !== undefined) return err(`permissions.env: ${refused} is not given to plugins`);
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

/** As they were kept; whatever is missing is not allowed. */
export function permissionsOf(kept: Readonly<Record<string, unknown>>): PluginPermissions {
  return { ...NO_PERMISSIONS, ...kept };
}

/** What it may do, for rules. */
export function capabilitiesOf(permissions: PluginPermissions): readonly Capability[] {
  const { network, files, secrets, childProcesses } = permissions;
  return [
    ...(files === "none" ? [] : (["fs.read"] as const)),
    ...(files === "write" ? (["fs.write"] as const) : []),
    ...(network === false ? [] : (["net"] as const)),
    ...(childProcesses ? (["shell"] as const) : []),
    ...(secrets.length === 0 ? [] : (["secrets"] as const)),
  ];
}

/** What it may do, in words for people, one right a line. Equal rights have equal words. */
export function permissionWords(permissions: PluginPermissions): readonly string[] {
  const { network, files, env, secrets, childProcesses } = permissions;
  const words = [
    ...(network === true ? ["reach any host on the network"] : []),
    ...(Array.isArray(network) ? network.map((host) => `reach ${host} on the network`) : []),
    ...(files === "none" ? [] : ["read the files in the workspace of the agent that calls"]),
    ...(files === "write" ? ["change the files in the workspace of the agent that calls"] : []),
    ...env.map((name) => `read the variable ${name} of the daemon's environment`),
    ...secrets.map((name) => `use the secret ${name}`),
    ...(childProcesses ? ["start other programs, which may do whatever your user may"] : []),
  ];
  return words;
}

/** What `wanted` allows and `agreed` did not, in words. */
export function addedWords(agreed: PluginPermissions, wanted: PluginPermissions): readonly string[] {
  const before = new Set(permissionWords(agreed));
  // Whoever may reach any host may reach each of them.
  const isCovered = (word: string) =>
    before.has(word) || (agreed.network === true && / on the network$/.test(word));
  return permissionWords(wanted).filter((word) => !isCovered(word));
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
