import type { ToolFlags, ToolStatus } from "../../contract/tool.ts";
import type { CustomToolRecord } from "../../machine/db/tables/sources/custom-tool-record.ts";
import { type FoundTool, PREFIX, type Usable } from "./found-tool.ts";

/** A script of the user's as people see it. */
export interface CustomToolView {
  readonly slug: string;
  /** As agents call it. */
  readonly name: string;
  readonly folder: string;
  readonly status: ToolStatus;
  /** Of every file in the folder; null where it is not there or cannot be read. */
  readonly sha256: string | null;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  /** What it asks for; null where its manifest cannot be used. */
  readonly wants: CustomToolWants | null;
  /** The content that a person enabled last; null: none. */
  readonly enabled: Pick<CustomToolRecord, "sha256" | "enabledBy" | "enabledAt"> | null;
}

export interface CustomToolWants {
  readonly description: string;
  /** What is run: a program and its arguments, the script among them; null: its interpreter is missing here. */
  readonly command: readonly string[] | null;
  readonly flags: ToolFlags;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** Names only. */
  readonly env: readonly string[];
  readonly passEnv: readonly string[];
  readonly secrets: readonly string[];
}

export function customToolView(
  slug: string,
  parts: {
    readonly folder: string;
    readonly status: ToolStatus;
    readonly found: FoundTool | undefined;
    readonly record: CustomToolRecord | undefined;
  },
): CustomToolView {
  const { folder, status, found, record } = parts;
  return {
    slug,
    name: `${PREFIX}${slug}`,
    folder,
    status,
    sha256: found?.sha256 ?? null,
    files: found?.files ?? [],
    wants: found?.read.ok ? wantsOf(found.read.value) : null,
    enabled: record
      ? { sha256: record.sha256, enabledBy: record.enabledBy, enabledAt: record.enabledAt }
      : null,
  };
}

function wantsOf({ manifest, launch }: Usable): CustomToolWants {
  const { description, entry, flags, timeoutMs, maxOutputBytes, env, passEnv, secrets } = manifest;
  return {
    description,
    command: launch.ok ? [launch.value.program, ...launch.value.args, entry].filter(isThere) : null,
    flags,
    timeoutMs,
    maxOutputBytes,
    env: Object.keys(env),
    passEnv,
    secrets,
  };
}

function isThere(word: string | undefined): word is string {
  return word !== undefined;
}
