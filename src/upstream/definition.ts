import { createHash } from "node:crypto";
import { checkServerConfig, type ServerFields } from "../config/server-config.ts";
import type { ServerConfig, Settings } from "../config/settings.ts";
import { messageOf } from "../errors.ts";
import { stableJson } from "../lib/json.ts";
import type { ServerRecord } from "../store/store.ts";
import type { Vault } from "../vault/vault.ts";
import type { ServerSecrets } from "./secret-values.ts";

/** Whether a server may be started. `broken`: what is stored about it cannot be used. */
export type Gate =
  | { readonly kind: "open" }
  | { readonly kind: "disabled" | "pending_approval" | "broken"; readonly reason: string };

/** A server as it counts now: what is stored about it, merged with what settings files declare. */
export interface Definition {
  readonly record: ServerRecord;
  readonly config: ServerConfig;
  readonly gate: Gate;
}

/** `declared` is the server of the same name in the settings files, which wins over the stored configuration. */
export function define(
  record: ServerRecord,
  declared: ServerConfig | undefined,
  settings: Settings,
  vault: Pick<Vault, "unseal">,
): Definition | undefined {
  if (declared) return { record, config: declared, gate: gateOf(record, declared, settings) };
  if (record.config === null) return undefined;

  const secrets = unsealSecrets(record, vault);
  const fields = { ...record.config, ...secrets.values, enabled: record.enabled } as ServerFields;
  const checked = checkServerConfig(record.name, fields, "stored");
  if (!checked.ok) return undefined;
  const config = checked.value;
  const gate: Gate = secrets.problem
    ? { kind: "broken", reason: secrets.problem }
    : gateOf(record, config, settings);
  return { record, config, gate };
}

/** What a person approves: everything that decides what runs, where it connects and how far it is trusted. */
export function fingerprint(config: ServerConfig): string {
  const { transport, command, args, env, cwd, url, headers, oauth, trusted } = config;
  const approved = { transport, command, args, env, cwd, url, headers, oauth, trusted };
  return createHash("sha256").update(stableJson(approved)).digest("hex");
}

/** The stored form of a configuration: secrets sealed, their keys in the open. */
export function storedForm(id: string, config: ServerConfig, vault: Pick<Vault, "seal">) {
  const { name: _name, source: _source, enabled, env, headers, ...open } = config;
  const envKeys = Object.keys(env);
  const headerKeys = Object.keys(headers);
  const sealed =
    envKeys.length + headerKeys.length === 0
      ? null
      : vault.seal(JSON.stringify({ env, headers }), purpose(id));
  return { config: open, sealed, envKeys, headerKeys, enabled };
}

function gateOf(record: ServerRecord, config: ServerConfig, settings: Settings): Gate {
  const name = record.name;
  const unapproved =
    config.source === "project"
      ? record.approvedFingerprint !== fingerprint(config)
      : config.source === "stored" && record.status === "pending_approval";
  if (unapproved) {
    const why = config.source === "project" ? "a project file declares it" : "an agent added it";
    return {
      kind: "pending_approval",
      reason: `mcp server ${name} waits for a person's approval (${why}): toolkeep server approve ${name}`,
    };
  }
  if (!settings.mcp.enabled)
    return { kind: "disabled", reason: "external servers are disabled (mcp.enabled)" };
  if (!config.enabled || !record.enabled)
    return { kind: "disabled", reason: `mcp server ${name} is disabled` };
  return { kind: "open" };
}

function unsealSecrets(
  record: ServerRecord,
  vault: Pick<Vault, "unseal">,
): { values: ServerSecrets; problem?: string } {
  const none = { env: {}, headers: {} };
  if (record.sealed === null) return { values: none };
  try {
    return { values: JSON.parse(vault.unseal(record.sealed, purpose(record.id))) as ServerSecrets };
  } catch (error) {
    return { values: none, problem: `its env and header values cannot be read: ${messageOf(error)}` };
  }
}

function purpose(id: string): string {
  return `server:${id}`;
}
