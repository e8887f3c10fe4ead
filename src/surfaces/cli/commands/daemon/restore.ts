import { resolve } from "node:path";
import type { Command } from "commander";
import { systemClock } from "../../../../lib/clock.ts";
import { findHome } from "../../home.ts";
import { confirmUnlessYes } from "../../input/destructive.ts";
import type { Run, Shell } from "../../shell.ts";

export function restoreCommand(shell: Shell): Command {
  return shell
    .single(
      "restore",
      "Restore a backup into a new home",
      "Restore a file written by toolkeep backup into a new home. Stop the daemon of that home first.",
      restore,
      "toolkeep-backup.json.gz",
    )
    .argument("<file>", "File written by toolkeep backup")
    .option("--force", "Replace the contents of the home")
    .option("--yes", "With --force: skip the confirmation");
}

async function restore(
  run: Run,
  name: string,
  options: { force?: boolean; yes?: boolean },
): Promise<undefined> {
  const { env, cwd } = run.terminal;
  const { readBackup, restoreBackup } = await import("../../../daemon/backup.ts");
  const { loadHomeSettings } = await import("../../../../features.ts");
  if (options.force)
    await confirmUnlessYes(run, options, `Replace everything in ${await findHome(run.terminal)}?`);
  const backup = await readBackup(resolve(cwd, name));
  const { settings } = await loadHomeSettings({ env, cwd, isTrusted: () => false });
  const { home, databaseUrl } = settings;
  await restoreBackup(backup, { home, databaseUrl, env, clock: systemClock, force: options.force === true });
  run.print(
    { home, createdAt: backup.createdAt, version: backup.version },
    `Restored ${home} as it was on ${new Date(backup.createdAt).toISOString()}.\nNext: toolkeep serve\n`,
  );
}
