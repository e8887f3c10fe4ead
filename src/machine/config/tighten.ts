/**
 * A project file comes with a checkout, so even a trusted one may only add servers, which then wait for approval,
 * and tighten. Whatever else it says is dropped with a warning.
 */

import type { Layer } from "./layer.ts";
import { type ProjectPolicy, SETTINGS, type SettingTable, type Values } from "./schema.ts";
import type { DeclaredServer } from "./sections/declared-servers.ts";

/** Applies a project's layer as far as it is allowed. `below` are the values without it. */
export function tighten(project: Layer, below: Values, table: SettingTable = SETTINGS): Layer {
  return {
    ...project,
    values: tightenedValues(project, below, table),
    servers: project.servers.map((server) => untrusted(server, project)),
    rules: project.rules.filter(({ rule, path }) => {
      if (rule.action === "allow") project.report.warn(path, "a project file may not allow: rule ignored");
      return rule.action !== "allow";
    }),
  };
}

function tightenedValues(project: Layer, below: Values, table: SettingTable): Partial<Values> {
  const kept = Object.entries(project.values).filter(([key, value]) => {
    const refusal = refusalOf(table[key]!.project, value, (below as Record<string, unknown>)[key]);
    if (refusal) project.report.warn(project.paths.get(key) ?? [], `${refusal}: ignored`);
    return refusal === undefined;
  });
  return Object.fromEntries(kept);
}

/** Why the project file may not set this value; undefined when it may. */
function refusalOf(policy: ProjectPolicy, value: unknown, below: unknown): string | undefined {
  if (policy === "any" || value === below) return undefined;
  if (policy === "never") return "a project file may not set this";
  if (policy === "lower") {
    return Number(value) <= Number(below)
      ? undefined
      : `a project file may only lower this (${below} without it)`;
  }
  return value === policy.only ? undefined : `a project file may only set this to ${policy.only}`;
}

function untrusted(declared: DeclaredServer, project: Layer): DeclaredServer {
  const server = pinned(declared, project);
  if (!server.config.trusted) return server;
  project.report.warn([...server.path, "trusted"], "a project file may not trust a server: ignored");
  return { ...server, config: { ...server.config, trusted: false } };
}

function pinned(server: DeclaredServer, project: Layer): DeclaredServer {
  if (server.config.pin !== false) return server;
  project.report.warn([...server.path, "pin"], "a project file may only set this to true: ignored");
  return { ...server, config: { ...server.config, pin: null } };
}
