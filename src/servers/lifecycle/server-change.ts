import { stableJson } from "../../lib/json.ts";
import { completeServerConfig, type ServerFields } from "../../machine/config/sections/server-config.ts";
import { changedSandbox } from "../../machine/config/sections/server-sandbox.ts";
import type { OAuthConfig, ServerConfig } from "../../machine/config/settings.ts";
import type { ServerInput } from "../contract.ts";
import { fingerprint } from "./definition.ts";

/** Applies a person's change to `current`. Throws BAD_REQUEST if the result is not a usable server. */
export function applyChange(current: ServerConfig, name: string, input: ServerInput): ServerConfig {
  const { name: _name, source, ...fields } = current;
  const given = Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== undefined),
  ) as ServerInput;
  const merged: ServerFields = {
    ...dropOtherTransport(fields, given),
    ...given,
    ...(given.env ? { env: fillBlanks(given.env, current.env) } : {}),
    ...(given.headers ? { headers: fillBlanks(given.headers, current.headers) } : {}),
    ...(given.oauth ? { oauth: mergeOAuth(given.oauth, current.oauth) } : {}),
    ...(given.tls ? { tls: { ...current.tls, ...given.tls } } : {}),
    ...(given.sandbox === undefined ? {} : { sandbox: changedSandbox(given.sandbox, current.sandbox) }),
  };
  return completeServerConfig(name, merged, source);
}

/** Whether a connection made with `before` no longer fits `after`. */
export function hasReachChanged(before: ServerConfig, after: ServerConfig): boolean {
  return fingerprint({ ...before, trusted: false }) !== fingerprint({ ...after, trusted: false });
}

/** The names of the fields that changed and that decide how a server is reached. */
export function listReachChanges(before: ServerConfig, after: ServerConfig): string[] {
  return REACH_KEYS.filter((key) => stableJson(before[key]) !== stableJson(after[key]));
}

const REACH_KEYS = [
  "transport",
  "command",
  "args",
  "env",
  "cwd",
  "url",
  "headers",
  "oauth",
  "tls",
  "sandbox",
] as const;

/** A command given to a remote server, or a URL given to a local one, switches its transport. */
function dropOtherTransport(fields: ServerFields, given: ServerInput): ServerFields {
  if (given.transport || (!given.command && !given.url)) return fields;
  const { transport: _, ...rest } = fields;
  return given.command ? { ...rest, url: null } : { ...rest, command: null };
}

/** Keeps stored values where the change has none; a blank secret counts as none. */
function mergeOAuth(given: Partial<OAuthConfig>, stored: OAuthConfig | null): Partial<OAuthConfig> {
  const changes = Object.entries(given).filter(([, value]) => value !== undefined && value !== "");
  return { ...stored, ...Object.fromEntries(changes) };
}

/** Secret values are never shown to people, so a blank one means "unchanged". */
function fillBlanks(given: Readonly<Record<string, string>>, stored: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [
      key,
      value === "" && Object.hasOwn(stored, key) ? stored[key]! : value,
    ]),
  );
}

export function hasSameBytes(a: Uint8Array | null | undefined, b: Uint8Array | null): boolean {
  return a === b || (a != null && b !== null && Buffer.compare(a, b) === 0);
}
