/**
 * The API for plugin authors, `toolkeep/plugin`: types, and one function that returns its argument. A plugin needs
 * nothing of Toolkeep at run time.
 */
import type { Content, JsonSchema, ToolFlags } from "../../contract/tool.ts";

export type { Content, JsonSchema };

/** The export of a plugin's entry: as `default`, with its `tools` exported by name, or returned by `createPlugin`. */
export interface Plugin {
  readonly tools: readonly PluginTool[];
}

/** Exported as `createPlugin`; called once when the plugin's process starts. */
export type CreatePlugin = (setup: PluginSetup) => Plugin | Promise<Plugin>;

export interface PluginSetup {
  /** The name under which a person added the plugin. */
  readonly plugin: string;
  /** The folder of the plugin's files. */
  readonly folder: string;
  readonly log: (text: string) => void;
}

export interface PluginTool {
  /** Letters, digits, `_`, `.` and `-`; agents see it as `plugin_<plugin>_<name>`. */
  readonly name: string;
  readonly title?: string;
  /** Tells models what the tool does and when to use it. */
  readonly description: string;
  /** A schema of an object. Absent: any object. */
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** Missing flags are false. A destructive tool is never read-only. */
  readonly flags?: Partial<ToolFlags>;
  /** Time limit of a call: one minute by default, ten at most. */
  readonly timeoutMs?: number;
  /**
   * Runs one call with arguments that match `inputSchema`. Calls may overlap. The message of a thrown error is shown to
   * the model as the reason for the failure.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the schema defines the arguments, which no type can express
  run(args: any, context: PluginContext): PluginAnswer | Promise<PluginAnswer>;
}

/** Text, MCP content, or any JSON value. An object is also returned as structured content. */
export type PluginAnswer = string | PluginContent | Readonly<Record<string, unknown>> | readonly unknown[];

export interface PluginContent {
  readonly content: readonly Content[];
  readonly structured?: Readonly<Record<string, unknown>>;
  /** The tool ran and reports a failure. */
  readonly isError?: boolean;
}

export interface PluginContext {
  /** Aborts when the caller gives up or the time limit is reached. A later result is ignored. */
  readonly signal: AbortSignal;
  readonly progress: (update: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  }) => void;
  /** The workspace of the calling agent; absent if the plugin declared no file access. */
  readonly workspace?: string;
  /** The declared secrets that are set, by name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The name of the calling agent. */
  readonly agent: string;
  /** Writes a line to the plugin's log, which only people see. */
  readonly log: (text: string) => void;
}

/** Returns its argument; only checks its type. */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}
