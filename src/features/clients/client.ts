import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../machine/config/environment.ts";

/** The surroundings of a user: what is needed to find the settings of their programs. */
export interface HostContext {
  readonly home: string;
  readonly env: Environment;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
}

export type Scope = "user" | "project";

/** A file that may contain the servers of a client. */
export interface ClientFile {
  readonly path: string;
  readonly scope: Scope;
  /** The paths of objects that map names to servers, each with the project folder of its servers. */
  readonly locations: readonly { readonly path: readonly string[]; readonly folder: string | null }[];
  /** Read but never written: an outdated location, or one of another edition of the program. */
  readonly readOnly?: true;
}

/** How a client interprets its settings. */
export interface Dialect {
  /** The syntax of variable references that it expands. */
  readonly variables: "none" | "braces" | "shell" | "opencode";
  /** Whether its `timeout` (in milliseconds) limits one call or something else. */
  readonly timeout: "call" | "other";
}

/** The data a client needs to reach Toolkeep. */
export interface Access {
  /** The address of the MCP endpoint. */
  readonly url: string;
  readonly token: string;
  /** For clients that only start local programs. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A program that speaks MCP and keeps its servers in files. Each file in `kinds/` describes one. */
export interface Client {
  readonly id: string;
  /** Its name for people. */
  readonly title: string;
  readonly dialect: Dialect;
  /** Its settings folder, which exists once the program was used. */
  folder(host: HostContext): string;
  /** Every file that may contain servers, whether it exists or not. */
  files(host: HostContext): readonly ClientFile[];
  /** The path of the object that gets Toolkeep's entry; `settings` is the current content of the file. */
  container(settings: unknown): readonly string[];
  entry(access: Access): Readonly<Record<string, unknown>>;
  /** The step that a person takes so that the client picks up a change. */
  readonly next: string;
}

/** The unparsed entry of a server in a settings file. */
export interface RawServerEntry {
  readonly name: string;
  readonly path: readonly string[];
  readonly folder: string | null;
  readonly value: unknown;
}

/** The context of this process. */
export function getHostContext(env: Environment, cwd: string): HostContext {
  return { home: env.HOME?.trim() || homedir(), env, cwd, platform: process.platform };
}

/** The value of a variable; undefined if it is unset or blank. */
export function readVariable({ env }: Pick<HostContext, "env">, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

/** The folder where desktop programs keep their settings. */
export function findApplicationFolder(host: HostContext): string {
  const { home, platform } = host;
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return readVariable(host, "APPDATA") ?? join(home, "AppData", "Roaming");
  return findConfigFolder(host);
}

/** `XDG_CONFIG_HOME`, also on platforms with other conventions. */
export function findConfigFolder(host: HostContext): string {
  return readVariable(host, "XDG_CONFIG_HOME") ?? join(host.home, ".config");
}
