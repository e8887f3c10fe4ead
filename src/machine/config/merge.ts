/** Layers on top of each other, and the settings that come out. */
import { valueAt } from "./document/describe-got.ts";
import type { Layer } from "./layer.ts";
import { SETTINGS, type Setting, type SettingKey, type SettingTable, type Values } from "./schema.ts";
import { fileOAuthOf, fileTlsOf } from "./sections/server-auth.ts";
import { fileSandboxOf } from "./sections/server-sandbox.ts";
import type { ServerConfig, Settings } from "./settings.ts";

export type Origin = "default" | "user" | "project" | "env";

export interface Layers {
  readonly user?: Layer | undefined;
  readonly project?: Layer | undefined;
  readonly env?: Partial<Values>;
}

export function mergeValues({ user, project, env }: Layers, table: SettingTable = SETTINGS): Values {
  const defaults = Object.entries(table).map(([key, setting]) => [key, setting.default]);
  return { ...(Object.fromEntries(defaults) as Values), ...user?.values, ...project?.values, ...env };
}

/** The whole of the settings, frozen. A server of the project replaces the user's of the same name. */
export function mergeSettings(home: string, layers: Layers, table: SettingTable = SETTINGS): Settings {
  const values = mergeValues(layers, table);
  const features = Object.fromEntries(
    Object.entries(values).filter(([key]) => !Object.hasOwn(SETTINGS, key)),
  );
  const layered = [layers.user, layers.project].filter((layer) => layer !== undefined);
  const servers = layered.flatMap((layer) =>
    layer.servers.map(({ config }) => [config.name, config] as const),
  );
  const rules = layered.flatMap((layer) => layer.rules.map(({ rule }) => rule));
  const settings = nested(
    TABLE.map(([key, { form, path }]) => [path, form ? form.read(values[key]) : values[key]]),
  );
  return deepFreeze({
    ...settings,
    features,
    home,
    rules,
    servers: [...new Map(servers).values()],
  }) as unknown as Settings;
}

/** Where each setting came from, by its key in the files; servers as `mcp.<name>`. */
export function originsOf(
  { user, project, env }: Layers,
  table: SettingTable = SETTINGS,
): Record<string, Origin> {
  const origins: Record<string, Origin> = {};
  for (const key of Object.keys(table)) {
    if (env && key in env) origins[key] = "env";
    else if (project && key in project.values) origins[key] = "project";
    else origins[key] = user && key in user.values ? "user" : "default";
  }
  for (const { config } of [...(user?.servers ?? []), ...(project?.servers ?? [])]) {
    origins[`mcp.${config.name}`] = config.source as "user" | "project";
  }
  return origins;
}

/** The settings as a file would have them: the reverse of `mergeSettings`. */
export function fileShapeOf(settings: Settings): Record<string, unknown> {
  const values = TABLE.map(([key, { form, path }]) => {
    const value = valueAt(settings, path.split("."));
    return [key, form ? form.write(value) : value] as const;
  });
  return nested([
    ...values,
    ["mcp.servers", settings.servers.map(fileEntryOf)],
    ["rules", settings.rules.map(({ from: _, ...rule }) => rule)],
    ...Object.entries(settings.features),
  ]);
}

/** Each setting of Toolkeep itself by its key, with its path in `Settings`. */
const TABLE = Object.entries<Setting>(SETTINGS).map(
  ([key, setting]) => [key as SettingKey, { ...setting, path: setting.at ?? camelCase(key) }] as const,
);

function camelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `["a.b", 1]` becomes `{ a: { b: 1 } }`. */
function nested(values: Iterable<readonly [path: string, value: unknown]>): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [key, value] of values) {
    const path = key.split(".");
    let group = root;
    for (const part of path.slice(0, -1)) {
      group[part] ??= {};
      group = group[part] as Record<string, unknown>;
    }
    group[path.at(-1)!] = value;
  }
  return root;
}

/** Leaves out fields that do not apply to the transport. */
function fileEntryOf(server: ServerConfig): Record<string, unknown> {
  const { name, transport, command, args, env, cwd, url, headers } = server;
  const reached =
    transport === "stdio"
      ? { command, args, env, cwd, sandbox: fileSandboxOf(server.sandbox) }
      : { url, headers, oauth: fileOAuthOf(server.oauth), tls: fileTlsOf(server.tls) };
  return {
    name,
    transport,
    ...reached,
    enabled: server.enabled,
    connect: server.connect,
    keep_alive: server.keepAlive,
    timeout_ms: server.timeoutMs,
    progress_extends_timeout: server.progressExtendsTimeout,
    connect_timeout_ms: server.connectTimeoutMs,
    retry: server.retry,
    trusted: server.trusted,
    pin: server.pin,
    max_concurrency: server.maxConcurrency,
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}
