import type { ToolStatus } from "../../contract/tool.ts";
import type { CustomToolRecord, CustomToolView, CustomToolWants } from "./contract.ts";
import { PREFIX, type ScannedTool, type UsableTool } from "./scanned-tool.ts";

/** A custom tool as people see it. */
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
