import { createHash } from "node:crypto";
import type { Vault } from "../../call/vault/vault.ts";
import { stableJson } from "../../lib/json.ts";
import { checkServerConfig, type ServerFields } from "../../machine/config/sections/server-config.ts";
import type { ServerConfig, Settings } from "../../machine/config/settings.ts";
import type { ServerRecord } from "../records.ts";
import { unsealSecrets } from "./sealed-config.ts";

/** Whether a server may be started. `broken` means that its stored configuration is unusable. */
export type Gate =
  | { readonly kind: "open" }
  | { readonly kind: "disabled" | "pending_approval" | "broken"; readonly reason: string };

/** A server as it is in effect: its stored record merged with what settings files declare. */
export interface Definition {
  readonly record: ServerRecord;
  readonly config: ServerConfig;
  readonly gate: Gate;
  /**
   * Whether a person wrote, registered or approved this exact command and address. False for a server that only an
   * agent vouched for: its address is as hostile as any that an agent supplies.
   */
  readonly isPersonNamed: boolean;
}

/** `declared` is the server of the same name in the settings files; it wins over the stored configuration. */
export function define(
  record: ServerRecord,
  declared: ServerConfig | undefined,
  settings: Settings,
  vault: Pick<Vault, "unseal">,
): Definition | undefined {
  if (declared) return toDefinition(record, declared, decideGate(record, declared, settings));
  if (record.config === null) return undefined;

  const secrets = unsealSecrets(record, vault);
  const fields = { ...record.config, ...secrets.fields, enabled: record.enabled } as ServerFields;
  const checked = checkServerConfig(record.name, fields, "stored");
  if (!checked.ok) return undefined;
  const gate: Gate = secrets.problem
    ? { kind: "broken", reason: secrets.problem }
    : decideGate(record, checked.value, settings);
  return toDefinition(record, checked.value, gate);
}

/** Covers what a person approves: everything that decides what runs, where it connects and how far it is trusted. */
export function fingerprint(config: ServerConfig): string {
  const { transport, command, args, env, cwd, url, headers, oauth, tls, sandbox, trusted } = config;
  const approved = { transport, command, args, env, cwd, url, headers, oauth, trusted };
  // Omitted when absent, so that approvals from before these settings existed stay valid.
  const whole = { ...approved, ...(tls && { tls }), ...(sandbox && { sandbox }) };
  return createHash("sha256").update(stableJson(whole)).digest("hex");
}

function toDefinition(record: ServerRecord, config: ServerConfig, gate: Gate): Definition {
  return { record, config, gate, isPersonNamed: isPersonNamed(record, config) };
}

function isPersonNamed(record: ServerRecord, config: ServerConfig): boolean {
  if (config.source === "user") return true;
  const isApproved = record.approvedFingerprint === fingerprint(config);
  if (config.source === "project") return isApproved;
  return record.status === "active" && (record.addedBy === null || isApproved);
}

function decideGate(record: ServerRecord, config: ServerConfig, settings: Settings): Gate {
  const name = record.name;
  const isUnapproved =
    config.source === "project"
      ? record.approvedFingerprint !== fingerprint(config)
      : config.source === "stored" && record.status === "pending_approval";
  if (isUnapproved) {
    const why = config.source === "project" ? "a project file declares it" : "an agent added or changed it";
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
