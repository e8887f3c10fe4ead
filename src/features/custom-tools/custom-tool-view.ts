import type { ToolFlags, ToolStatus } from "../../contract/tool.ts";
import type { CustomToolRecord } from "../../machine/db/tables/sources/custom-tool-record.ts";
import { PREFIX, type ScannedTool, type UsableTool } from "./scanned-tool.ts";

/** A custom tool as people see it. */
export interface CustomToolView {
  readonly slug: string;
  /** The name that agents use. */
  readonly name: string;
  readonly folder: string;
  readonly status: ToolStatus;
  /** The hash of the folder's content; null if it does not exist or cannot be read. */
  readonly sha256: string | null;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  /** What it requests; null if its manifest is invalid. */
  readonly wants: CustomToolWants | null;
  /** The content that a person enabled last; null if none. */
  readonly enabled: Pick<CustomToolRecord, "sha256" | "enabledBy" | "enabledAt"> | null;
}

export interface CustomToolWants {
  readonly description: string;
  /** The command line, including the script; null if its interpreter is missing here. */
  readonly command: readonly string[] | null;
  readonly flags: ToolFlags;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** Names without values. */
  readonly env: readonly string[];
  readonly passEnv: readonly string[];
  readonly secrets: readonly string[];
}

export function toCustomToolView(
  slug: string,
  parts: {
    readonly folder: string;
    readonly status: ToolStatus;
    readonly found: ScannedTool | undefined;
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
    wants: found?.read.ok ? toWants(found.read.value) : null,
    enabled: record
      ? { sha256: record.sha256, enabledBy: record.enabledBy, enabledAt: record.enabledAt }
      : null,
  };
}

function toWants({ manifest, launch }: UsableTool): CustomToolWants {
  const { description, entry, flags, timeoutMs, maxOutputBytes, env, passEnv, secrets } = manifest;
  return {
    description,
    command: launch.ok ? [launch.value.program, ...launch.value.args, entry].filter(isDefined) : null,
    flags,
    timeoutMs,
    maxOutputBytes,
    env: Object.keys(env),
    passEnv,
    secrets,
  };
}

function isDefined(word: string | undefined): word is string {
  return word !== undefined;
}
