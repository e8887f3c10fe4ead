import { ago } from "../../../lib/terminal/ago.ts";
import { counted } from "../../../lib/terminal/counted.ts";
import type { Cell } from "../../../lib/terminal/table.ts";
import type { CustomToolView } from "../../api/contract.ts";
import { durationText } from "./duration.ts";
import { formatFlags } from "./flag-words.ts";

/** The facts about a script that a person should know before enabling it. */
export function listCustomToolFields(
  tool: CustomToolView,
  now: number,
): readonly (readonly [string, Cell])[] {
  const { folder, files, wants, sha256, enabled } = tool;
  return [
    ["folder", folder],
    ["files", files.map(({ path, bytes }) => `${path} (${counted(bytes, "byte")})`).join(", ")],
    ["content", sha256?.slice(0, 12)],
    ["runs", wants && (wants.command?.join(" ") ?? "nothing: its interpreter is not installed")],
    ["flags", wants && formatFlags(wants.flags)],
    ["time limit", wants && durationText(wants.timeoutMs)],
    ["output limit", wants && counted(wants.maxOutputBytes, "byte")],
    ["env", wants && (wants.env.join(", ") || "none")],
    ["env passed on", wants?.passEnv.join(", ")],
    ["secrets", wants && (wants.secrets.join(", ") || "none")],
    ["enabled", enabled && `content ${enabled.sha256.slice(0, 12)}, ${ago(enabled.enabledAt, now)}`],
  ];
}
