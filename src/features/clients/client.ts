import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../machine/config/environment.ts";

/** Where someone sits: everything by which the settings of their programs are found. */
export interface Place {
  readonly home: string;
  readonly env: Environment;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
}

export type Scope = "user" | "project";

/** A file that may hold the servers of a client. */
export interface ClientFile {
  readonly path: string;
  readonly scope: Scope;
  /** Where objects of servers by name stand in it; each with the project folder its servers belong to. */
  readonly at: readonly { readonly path: readonly string[]; readonly folder: string | null }[];
  /** Read, but never written: an old place, or one that belongs to another edition of the program. */
  readonly readOnly?: true;
}

/** How a client means what is written in its settings. */
export interface Dialect {
  /** Which references to variables it replaces. */
  readonly variables: "none" | "braces" | "shell" | "opencode";
  /** What its `timeout`, in milliseconds, limits. */
  readonly timeout: "call" | "other";
}

/** What a client needs to reach Toolkeep. */
export interface Access {
  /** The address of the MCP endpoint. */
  readonly url: string;
  readonly token: string;
  /** For clients that only start programs. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A program that speaks MCP and keeps its servers in files. One file of this folder describes each. */
export interface Client {
  readonly id: string;
  /** Its name for people. */
  readonly title: string;
  readonly dialect: Dialect;
  /** Its settings folder: there where the program has been used. */
  folder(place: Place): string;
  /** Every file that may hold servers, whether it exists or not. */
  files(place: Place): readonly ClientFile[];
  /** Where in a settings file Toolkeep's entry belongs; `settings` is what the file holds now. */
  container(settings: unknown): readonly string[];
  entry(access: Access): Readonly<Record<string, unknown>>;
  /** What a person does so that it takes notice of a change. */
  readonly next: string;
}

/** A server in a settings file, as it is written there. */
export interface ServerAt {
  readonly name: string;
  readonly path: readonly string[];
  readonly folder: string | null;
  readonly value: unknown;
}

/** The place of this process. */
export function placeHere(env: Environment, cwd: string): Place {
  return { home: env.HOME?.trim() || homedir(), env, cwd, platform: process.platform };
}

/** The variable if it is set to something. */
export function variable({ env }: Pick<Place, "env">, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

/** Where desktop programs keep their settings. */
export function applicationFolder(place: Place): string {
  const { home, platform } = place;
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return variable(place, "APPDATA") ?? join(home, "AppData", "Roaming");
  return configFolder(place);
}

/** `XDG_CONFIG_HOME`, also where the platform has other customs. */
export function configFolder(place: Place): string {
  return variable(place, "XDG_CONFIG_HOME") ?? join(place.home, ".config");
}
