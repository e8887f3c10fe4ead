/**
 * What the author of a plugin writes against: `toolkeep/plugin`. Types, and one function that only returns what it is
 * given. A plugin needs nothing of Toolkeep to run.
 */
import type { Content, JsonSchema, ToolFlags } from "../../contract/tool.ts";

export type { Content, JsonSchema };

/** What the entry of a plugin exports as `tools`, as `default`, or from `createPlugin`. */
export interface Plugin {
  readonly tools: readonly PluginTool[];
}

/** Exported as `createPlugin`: called once when the process of the plugin starts. */
export type CreatePlugin = (setup: PluginSetup) => Plugin | Promise<Plugin>;

export interface PluginSetup {
  /** The name under which a person added the plugin. */
  readonly plugin: string;
  /** The folder that the plugin's files are in. */
  readonly folder: string;
  readonly log: (text: string) => void;
}

export interface PluginTool {
  /** Letters, digits, `_`, `.` and `-`; agents see it as `plugin_<plugin>_<name>`. */
  readonly name: string;
  readonly title?: string;
  /** For the model that is to choose it. */
  readonly description: string;
  /** Of an object. Absent: any object. */
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** What is not named is false. A tool that is destructive is never read-only. */
  readonly flags?: Partial<ToolFlags>;
  /** How long one call may take; a minute where it is absent, ten at most. */
  readonly timeoutMs?: number;
  /**
   * Runs one call, with arguments that fit `inputSchema`. Calls may overlap. What it throws is told to the model as the
   * reason why the call failed.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the schema says what they are, which no type can follow
  run(args: any, context: PluginContext): PluginAnswer | Promise<PluginAnswer>;
}

/** A text, MCP content, or any JSON value; an object is also given as structured content. */
export type PluginAnswer = string | PluginContent | Readonly<Record<string, unknown>> | readonly unknown[];

export interface PluginContent {
  readonly content: readonly Content[];
  readonly structured?: Readonly<Record<string, unknown>>;
  /** The tool ran and says that it did not work. */
  readonly isError?: boolean;
}

export interface PluginContext {
  /** Aborts when the caller gave up or the time is over. What comes after is not heard. */
  readonly signal: AbortSignal;
  readonly progress: (update: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  }) => void;
  /** The workspace of the agent that calls; absent where the plugin declared no access to files. */
  readonly workspace?: string;
  /** The declared secrets that a person has set, by name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The name of the agent that calls. */
  readonly agent: string;
  /** A line for people who look at the plugin; not for the model. */
  readonly log: (text: string) => void;
}

/** Returns what it is given, with its type checked where it is written. */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}
