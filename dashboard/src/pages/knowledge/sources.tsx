import { joinPath } from "../../api/client.ts";
import type { SourceList, SourceView, SyncAnswer } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { urlWith, useUrlState } from "../../app/location.ts";
import { RequireRole } from "../../app/session.tsx";
import { StateMark } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ButtonLink } from "../../ui/link.tsx";
import { EmptyState, QueryView } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { AddSource } from "./add-source.tsx";
import { SyncBar } from "./sync-bar.tsx";

export function SourceActions() {
  const sync = useSync();
  return (
    <>
      <RequireRole role="operator">
        <Button icon="refresh" busy={sync.isBusy} onClick={() => void sync.run(undefined)}>
          Sync all
        </Button>
      </RequireRole>
      <RequireRole role="admin">
        <ButtonLink to={urlWith({ add: "source" })} look="primary" icon="plus">
          Add source
        </ButtonLink>
      </RequireRole>
    </>
  );
}

/** Starts a sync of one source, or of all. It continues in the background. */
export function useSync() {
  return useAction({
    run: (client, source: string | undefined) =>
      client.post<SyncAnswer>("/sync", source === undefined ? {} : { source }),
    successMessage: (answer) =>
      answer.skipped ? (answer.reason ?? "Another sync is running") : "Sync started",
    invalidates: ["/sources"],
  });
}

const COLUMNS: readonly Column<SourceView>[] = [
  {
    id: "name",
    header: "Name",
    cell: ({ name }) => <UntrustedText text={name} line />,
    sortBy: ({ name }) => name.toLowerCase(),
    width: "minmax(8rem,1fr)",
  },
  { id: "kind", header: "Kind", cell: ({ kind }) => kind, width: "7rem", wideOnly: true },
  {
    id: "state",
    header: "State",
    cell: (source) => <SourceState source={source} />,
    width: "minmax(10rem,1.4fr)",
    showOnPhone: true,
  },
  {
    id: "entities",
    header: "Documents",
    cell: ({ entities }) => entities.toLocaleString("en"),
    sortBy: ({ entities }) => entities,
    width: "6.5rem",
    alignEnd: true,
  },
  {
    id: "chunks",
    header: "Passages",
    cell: ({ chunks }) => chunks.toLocaleString("en"),
    sortBy: ({ chunks }) => chunks,
    width: "6.5rem",
    alignEnd: true,
    wideOnly: true,
  },
  {
    id: "synced",
    header: "Synced",
    cell: ({ lastSyncAt }) => <Time at={lastSyncAt} />,
    width: "7rem",
    wideOnly: true,
  },
];

/** The list of knowledge sources. */
export function Sources({ selected }: { selected: string | undefined }) {
  const sources = useGet<SourceList>("/sources");
  const [openDialog, setOpenDialog] = useUrlState("add");
  return (
    <>
      <QueryView query={sources}>
        {({ sources: all }) => (
          <DataTable
            label="Sources"
            rows={all}
            columns={COLUMNS}
            rowKey={({ name }) => name}
            rowLink={({ name }) => joinPath("knowledge", "sources", name)}
            selected={selected}
            empty={
              <EmptyState
                title="No sources yet"
                action={
                  <RequireRole role="admin">
                    <ButtonLink to={urlWith({ add: "source" })} look="primary">
                      Add source
                    </ButtonLink>
                  </RequireRole>
                }
              >
                Add a folder, an Obsidian vault, bookmarks, or an export of Notion or mail. Agents can then
                search its documents by words and meaning.
              </EmptyState>
            }
          />
        )}
      </QueryView>
      {openDialog === "source" && (
        <RequireRole role="admin">
          <AddSource onClose={() => setOpenDialog("")} />
        </RequireRole>
      )}
    </>
  );
}

export function SourceState({ source }: { source: SourceView }) {
  if (source.running) return <SyncBar progress={source.running} />;
  if (!source.enabled) return <StateMark tone="neutral">Disabled</StateMark>;
  if (source.lastSync === null) return <StateMark tone="neutral">Not synced yet</StateMark>;
  if (!source.lastSync.ok)
    return (
      <StateMark
        tone="bad"
        {...(source.lastSync.error === undefined ? {} : { title: source.lastSync.error })}
      >
        Failed
      </StateMark>
    );
  if (source.lastSync.failed > 0)
    return <StateMark tone="warn">{`${source.lastSync.failed} files could not be read`}</StateMark>;
  return <StateMark tone="ok">Up to date</StateMark>;
}
