import { stableJson } from "../../lib/json.ts";
import { completeServerConfig, type ServerFields } from "../../machine/config/sections/server-config.ts";
import { changedSandbox } from "../../machine/config/sections/server-sandbox.ts";
import type { OAuthConfig, ServerConfig } from "../../machine/config/settings.ts";
import type { ServerInput } from "../views.ts";
import { fingerprint } from "./definition.ts";

/** `current` with a person's change applied. Throws BAD_REQUEST for what makes no usable server. */
export function changedConfig(current: ServerConfig, name: string, input: ServerInput): ServerConfig {
  const { name: _name, source, ...fields } = current;
  const given = Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== undefined),
  ) as ServerInput;
  const merged: ServerFields = {
    ...withoutOtherTransport(fields, given),
    ...given,
    ...(given.env ? { env: keepingBlank(given.env, current.env) } : {}),
    ...(given.headers ? { headers: keepingBlank(given.headers, current.headers) } : {}),
    ...(given.oauth ? { oauth: changedOAuth(given.oauth, current.oauth) } : {}),
    ...(given.tls ? { tls: { ...current.tls, ...given.tls } } : {}),
    ...(given.sandbox === undefined ? {} : { sandbox: changedSandbox(given.sandbox, current.sandbox) }),
  };
  return completeServerConfig(name, merged, source);
}

/** Whether a connection under the one configuration is no longer what the other asks for. */
export function reachChanged(before: ServerConfig, after: ServerConfig): boolean {
  return fingerprint({ ...before, trusted: false }) !== fingerprint({ ...after, trusted: false });
}

/** Which parts of how a server is reached differ, by their names. */
export function reachKeys(before: ServerConfig, after: ServerConfig): string[] {
  return REACH.filter((key) => stableJson(before[key]) !== stableJson(after[key]));
}

const REACH = [
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

/** A command given to a remote server, or a url to a local one, makes it the other kind. */
function withoutOtherTransport(fields: ServerFields, given: ServerInput): ServerFields {
  if (given.transport || (!given.command && !given.url)) return fields;
  const { transport: _, ...rest } = fields;
  return given.command ? { ...rest, url: null } : { ...rest, command: null };
}

/** What is absent stays; its secrets do so when they are blank, too. */
function changedOAuth(given: Partial<OAuthConfig>, stored: OAuthConfig | null): Partial<OAuthConfig> {
  const changes = Object.entries(given).filter(([, value]) => value !== undefined && value !== "");
  return { ...stored, ...Object.fromEntries(changes) };
}

/** Values are never sent back to people, so a blank one means: as it was. */
function keepingBlank(given: Readonly<Record<string, string>>, stored: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [
      key,
      value === "" && Object.hasOwn(stored, key) ? stored[key]! : value,
    ]),
  );
}

export function sameBytes(a: Uint8Array | null | undefined, b: Uint8Array | null): boolean {
  return a === b || (a != null && b !== null && Buffer.compare(a, b) === 0);
}
