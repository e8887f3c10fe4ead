import type { Clock } from "../../lib/clock.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { withoutSettings, withSetting } from "../../machine/config/edit/edit-settings.ts";
import {
  backUp,
  readSettingsFile,
  type SettingsFile,
  writeSettingsFile,
} from "../../machine/config/edit/settings-files.ts";
import { readLayer } from "../../machine/config/layer.ts";
import { settingsPaths } from "../../machine/config/settings-file.ts";

/** New values by dotted key; null removes a setting. */
export type SettingsChanges = Readonly<Record<string, unknown>>;

export interface SettingsWriteResult {
  readonly file: string;
  /** Null if there was no file before. */
  readonly backup: string | null;
}

/** The user's settings file, or where it would be created. An error if there are two, or if it cannot be read. */
export async function readUserSettings(home: string): Promise<Result<SettingsFile, string>> {
  const read = await Promise.all(settingsPaths(home, "user").map((path) => readSettingsFile(path)));
  const wrong = read.find((each) => !each.ok);
  if (wrong && !wrong.ok) return wrong;
  const files = read.flatMap((each) => (each.ok ? [each.value] : []));
  const present = files.filter(({ text }) => text !== null);
  if (present.length > 1) return err("there are two settings files in the home; keep only one");
  return ok(present[0] ?? files[0]!);
}

/** The text with the changes and everything else as it was; an error if the result is not a valid settings file. */
export function applyChanges({ path, text }: SettingsFile, changes: SettingsChanges): Result<string, string> {
  let changed = text ?? "";
  for (const [key, value] of Object.entries(changes)) {
    const keyPath = key.split(".");
    const edited =
      value === null ? withoutSettings(path, changed, [keyPath]) : withSetting(path, changed, keyPath, value);
    if (!edited.ok) return err(`${path}: ${edited.error}`);
    changed = edited.value;
  }
  const { report } = readLayer({ path, text: changed, sha256: "" }, "user");
  const [problem] = report.problems;
  return problem ? err(problem.message) : ok(changed);
}

/** Makes a backup, then replaces the file atomically, unless somebody else changed it meanwhile. */
export async function writeChanges(
  file: SettingsFile,
  text: string,
  clock: Clock,
): Promise<Result<SettingsWriteResult, string>> {
  const backup = await backUp(file, clock);
  if (!backup.ok) return backup;
  const written = await writeSettingsFile(file, text);
  return written.ok ? ok({ file: file.path, backup: backup.value }) : err(`${file.path}: ${written.error}`);
}
