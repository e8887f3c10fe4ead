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

/** By dotted key; null takes one out. */
export type Changes = Readonly<Record<string, unknown>>;

export interface Written {
  readonly file: string;
  /** Null where there was no file before. */
  readonly backup: string | null;
}

/** The user's settings file as it is now, or where it would be. An error where there are two, or it cannot be read. */
export async function userSettings(home: string): Promise<Result<SettingsFile, string>> {
  const read = await Promise.all(settingsPaths(home, "user").map((path) => readSettingsFile(path)));
  const wrong = read.find((each) => !each.ok);
  if (wrong && !wrong.ok) return wrong;
  const files = read.flatMap((each) => (each.ok ? [each.value] : []));
  const present = files.filter(({ text }) => text !== null);
  if (present.length > 1) return err("there are two settings files in the home; keep one of the two");
  return ok(present[0] ?? files[0]!);
}

/** The text with the changes, everything else as it was; an error where it would not be a right settings file. */
export function withChanges({ path, text }: SettingsFile, changes: Changes): Result<string, string> {
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

/** Keeps a copy, then replaces the file in one step, unless somebody else changed it meanwhile. */
export async function writeChanges(
  file: SettingsFile,
  text: string,
  clock: Clock,
): Promise<Result<Written, string>> {
  const backup = await backUp(file, clock);
  if (!backup.ok) return backup;
  const written = await writeSettingsFile(file, text);
  return written.ok ? ok({ file: file.path, backup: backup.value }) : err(`${file.path}: ${written.error}`);
}
