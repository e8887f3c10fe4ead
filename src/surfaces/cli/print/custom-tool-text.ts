import { ago } from "../../../lib/terminal/ago.ts";
import { counted } from "../../../lib/terminal/counted.ts";
import type { Cell } from "../../../lib/terminal/table.ts";
import type { CustomToolView } from "../../api/contract.ts";
import { durationText } from "./duration.ts";
import { flagWords } from "./flag-words.ts";

/** What a person has to know of a script before they enable it. */
export function customToolFields(tool: CustomToolView, now: number): readonly (readonly [string, Cell])[] {
  const { folder, files, wants, sha256, enabled } = tool;
  return [
    ["folder", folder],
    ["files", files.map(({ path, bytes }) => `${path} (${counted(bytes, "byte")})`).join(", ")],
    ["content", sha256?.slice(0, 12)],
    ["runs", wants && (wants.command?.join(" ") ?? "nothing: its interpreter is missing here")],
    ["flags", wants && flagWords(wants.flags)],
    ["time limit", wants && durationText(wants.timeoutMs)],
    ["output limit", wants && counted(wants.maxOutputBytes, "byte")],
    ["env", wants && (wants.env.join(", ") || "none of its own")],
    ["env passed on", wants?.passEnv.join(", ")],
    ["secrets", wants && (wants.secrets.join(", ") || "none")],
    ["enabled", enabled && `content ${enabled.sha256.slice(0, 12)}, ${ago(enabled.enabledAt, now)}`],
  ];
}
