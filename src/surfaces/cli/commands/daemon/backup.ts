import { resolve } from "node:path";
import type { Command } from "commander";
import { counted } from "../../../../lib/terminal/counted.ts";
import type { Backup } from "../../../api/contract.ts";
import type { Run, Shell } from "../../shell.ts";

export function backupCommand(shell: Shell): Command {
  return shell
    .single(
      "backup",
      "write everything into one file",
      "Writes the store, its key and the settings file into one file, also while the daemon runs. Keep it as safe as the home itself.",
      backup,
      "toolkeep-backup.json.gz",
    )
    .argument("<file>", "where to write it")
    .option("--force", "replace the file if it exists");
}

async function backup(run: Run, name: string, options: { force?: boolean }): Promise<undefined> {
  const file = resolve(run.terminal.cwd, name);
  const { checkWritable, writeBackup } = await import("../../../daemon/backup.ts");
  checkWritable(file, options.force === true);
  const taken = await run.progress("reading everything", run.send<Backup>("POST", "/api/backup"));
  const { bytes } = await writeBackup(file, taken);
  const tables = Object.fromEntries(
    Object.entries(taken.store.tables).map(([table, rows]) => [table, rows.length]),
  );
  run.print(
    { file, bytes, createdAt: taken.createdAt, tables },
    `Wrote ${file} (${bytes} bytes): ${counted(tables.agents ?? 0, "agent")}, ${counted(storedServers(taken), "server")}, ${counted(tables.tokens ?? 0, "token")}.\n${
      taken.key === null
        ? "TOOLKEEP_KEY is not in it; restoring needs it.\n"
        : "It holds the key to your secrets: keep it safe.\n"
    }`,
  );
}

/** Rows of servers that were removed, or that a settings file names, only keep the names of their tools. */
function storedServers({ store }: Backup): number {
  return (store.tables.servers ?? []).filter((row) => row.origin === "stored").length;
}
