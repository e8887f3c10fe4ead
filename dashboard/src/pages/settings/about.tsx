import type { SettingList, Status } from "../../api/contract.ts";
import { useAction, useClient, useGet } from "../../api/use-api.ts";
import { RequireRole } from "../../app/session.tsx";
import { StateMark } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { PageBody } from "../../ui/page.tsx";
import { QueryView } from "../../ui/states.tsx";
import { formatDuration } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";

/** The installation, its settings files, and the backup. */
export function About({ files }: { files: SettingList["files"] }) {
  const status = useGet<Status>("/status");
  return (
    <PageBody>
      <div className="flex max-w-3xl flex-col gap-6">
        <section className="flex flex-col gap-2">
          <h2 className="text-base font-semibold">This installation</h2>
          <QueryView query={status} rows={4}>
            {({ version, uptimeMs, home, url, store, agents, tools, servers }) => (
              <KeyValues
                pairs={[
                  ["Version", version],
                  ["Uptime", formatDuration(uptimeMs)],
                  ["URL", <Mono key="url" text={url} />],
                  ["Home", <Mono key="home" text={home} />],
                  ["Store", store === "sqlite" ? "SQLite in the home" : "PostgreSQL"],
                  ["Contents", `${servers.total} servers, ${tools} tools, ${agents} agents`],
                ]}
              />
            )}
          </QueryView>
        </section>
        <section className="flex flex-col gap-2">
          <h2 className="text-base font-semibold">Settings files</h2>
          {files.length === 0 ? (
            <p className="text-soft">No settings files. Defaults and environment variables apply.</p>
          ) : (
            <ul className="flex flex-col gap-1">
              {files.map(({ path, scope, used, reason }) => (
                <li key={path} className="flex flex-wrap items-center gap-2">
                  <StateMark tone={used ? "ok" : "warn"}>{used ? "Used" : "Not used"}</StateMark>
                  <Mono text={path} />
                  <span className="text-soft">{scope === "user" ? "Your file" : "Project file"}</span>
                  {reason !== undefined && <UntrustedText text={reason} />}
                </li>
              ))}
            </ul>
          )}
        </section>
        <BackupSection />
      </div>
    </PageBody>
  );
}

function Mono({ text }: { text: string }) {
  return <span className="font-mono text-xs wrap-anywhere">{text}</span>;
}

function BackupSection() {
  const confirm = useConfirm();
  const client = useClient();
  const save = useAction({
    run: async () => {
      const backup = await client.post<{ createdAt: number }>("/backup");
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([JSON.stringify(backup)], { type: "application/json" }));
      link.download = `toolkeep-backup-${new Date(backup.createdAt).toISOString().slice(0, 10)}.json`;
      link.click();
      URL.revokeObjectURL(link.href);
    },
    successMessage: "Backup downloaded",
  });
  const confirmSave = async () => {
    const isConfirmed = await confirm({
      title: "Download a backup?",
      description:
        "The file contains everything: agents, rules, the audit log, and the key that decrypts all secrets. Keep it as safe as the home itself.",
      action: "Download backup",
    });
    if (isConfirmed) await save.run();
  };
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-base font-semibold">Backup</h2>
      <p>A backup contains everything that a new home needs. On the daemon's machine, run:</p>
      <Code
        text={"toolkeep backup toolkeep-backup.json\ntoolkeep restore toolkeep-backup.json"}
        label="Commands"
      />
      <RequireRole role="admin">
        <div>
          <Button icon="out" busy={save.isBusy} onClick={() => void confirmSave()}>
            Download backup…
          </Button>
        </div>
      </RequireRole>
    </section>
  );
}
