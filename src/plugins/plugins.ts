import type { ToolSource, ToolStatus } from "../contract/tool.ts";
import type { AnnouncedTool } from "../features/plugins/package/manifest.ts";
import type { PluginPermissions } from "../features/plugins/permissions.ts";
import type { PluginLogLine } from "../features/plugins/plugin-log.ts";
import type { PluginSource } from "../machine/db/tables/sources/plugin-record.ts";

/** A plugin as people see it, with its files as they are now. */
export interface PluginView {
  readonly name: string;
  readonly packageName: string;
  readonly version: string;
  readonly description: string;
  readonly source: PluginSource;
  /** Where its files are on this machine. */
  readonly folder: string;
  /** Of every file, as they are now; null where they cannot be used here. */
  readonly sha256: string | null;
  readonly status: ToolStatus;
  /** What a person said last; `status` says whether it counts. */
  readonly enabled: boolean;
  /** Whether flags of its tools that loosen are believed. */
  readonly trusted: boolean;
  readonly permissions: PluginPermissions;
  /** The permissions in words, one right each. */
  readonly may: readonly string[];
  /** What of it nobody agreed to yet, though somebody agreed to something. */
  readonly mayAlso: readonly string[];
  /** What was declared but is not seen to on this machine, and why. */
  readonly notEnforced: readonly string[];
  /** Declared secrets that nobody has set. */
  readonly missingSecrets: readonly string[];
  /** What its package.json says about its tools, before anything of it has run. */
  readonly announced: readonly AnnouncedTool[];
  /** As of when it was enabled last. */
  readonly tools: readonly PluginToolView[];
  /** What was left out of its tools when it was enabled last, as far as this process saw it. */
  readonly warnings: readonly string[];
  readonly processes: number;
  readonly enabledAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface PluginToolView {
  /** As agents call it. */
  readonly name: string;
  readonly ownName: string;
  readonly description: string;
}

export interface EnableOptions {
  /** Only if its files are these: what the person has seen. Absent: whatever they are. */
  readonly sha256?: string;
  readonly trusted?: boolean;
}

/** Packages of others that bring tools. Nothing of them runs in this process, or before a person enabled it. */
export interface Plugins extends ToolSource {
  /** Looks at the files of every one. */
  list(): Promise<readonly PluginView[]>;
  /** Throws NOT_FOUND with the nearest name. */
  get(name: string): Promise<PluginView>;
  /** What it printed and what became of its processes, oldest first. */
  log(name: string): readonly PluginLogLine[];
  /**
   * Fetches a plugin and reads what it says about itself; it stays disabled. Throws BAD_REQUEST where it cannot be
   * used, NAME_INVALID, NAME_TAKEN.
   */
  add(
    source: PluginSource,
    options?: { readonly name?: string; readonly signal?: AbortSignal },
  ): Promise<PluginView>;
  /**
   * Agrees to exactly these files and what they declare, starts it to learn its tools, and lets them be called. Throws
   * CHANGED where the files are others, BAD_REQUEST where it cannot be started or has no tools.
   */
  enable(name: string, options?: EnableOptions): Promise<PluginView>;
  disable(name: string): Promise<PluginView>;
  /** Fetches it anew from where it came. Where that brings anything else, it is disabled. */
  update(name: string, options?: { readonly signal?: AbortSignal }): Promise<PluginView>;
  /** The names of its tools stay taken. */
  remove(name: string): Promise<void>;
  /** Takes over what another process changed. */
  reload(): Promise<void>;
  close(): Promise<void>;
}
