import { resolve } from "node:path";
import type { Command } from "commander";
import { counted } from "../../../../lib/terminal/counted.ts";
import type { Backup } from "../../../api/contract.ts";
import type { Run, Shell } from "../../shell.ts";

export function backupCommand(shell: Shell): Command {
  return shell
    .single(
      "backup",
      "Back up everything to one file",
      "Write the store, its key and the settings file to one file. Works while the daemon runs. Keep the file as safe as the home itself.",
      backup,
      "toolkeep-backup.json.gz",
    )
    .argument("<file>", "File to write")
    .option("--force", "Replace the file if it exists");
}

async function backup(run: Run, name: string, options: { force?: boolean }): Promise<undefined> {
  const file = resolve(run.terminal.cwd, name);
  const { checkWritable, writeBackup } = await import("../../../daemon/backup.ts");
  checkWritable(file, options.force === true);
  const snapshot = await run.progress("reading the store", run.send<Backup>("POST", "/api/backup"));
  const { bytes } = await writeBackup(file, snapshot);
  const tables = Object.fromEntries(
    Object.entries(snapshot.store.tables).map(([table, rows]) => [table, rows.length]),
  );
  run.print(
    { file, bytes, createdAt: snapshot.createdAt, tables },
    `Wrote ${file} (${bytes} bytes): ${counted(tables.agents ?? 0, "agent")}, ${counted(countStoredServers(snapshot), "server")}, ${counted(tables.tokens ?? 0, "token")}.\n${
      snapshot.key === null
        ? "The backup does not contain TOOLKEEP_KEY. You need it to restore.\n"
        : "The backup contains the key to your secrets. Keep it safe.\n"
    }`,
  );
}

/** Counts the servers kept in the store. Other rows only reserve the tool names of servers that were removed or that a settings file declares. */
function countStoredServers({ store }: Backup): number {
  return (store.tables.servers ?? []).filter((row) => row.origin === "stored").length;
}
