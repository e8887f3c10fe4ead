import { joinPath } from "../../api/client.ts";
import type { AgentList, MemoryList, MemorySpaces, MemoryView } from "../../api/contract.ts";
import { useGet, usePages } from "../../api/use-api.ts";
import { urlWith, useUrlState } from "../../app/location.ts";
import { Badge } from "../../ui/badge.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { FilterBar, FilterSelect, SearchField } from "../../ui/filter-bar.tsx";
import { EmptyState, ErrorState, LoadingState } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";

const PAGE_SIZE = 100;

const COLUMNS: readonly Column<MemoryView>[] = [
  {
    id: "text",
    header: "Memory",
    cell: ({ key, text }) => (
      <span className="flex gap-2">
        {key !== null && (
          <span className="shrink-0 font-mono text-xs text-soft">
            <UntrustedText text={key} max={60} />
          </span>
        )}
        <UntrustedText text={text} line />
      </span>
    ),
    width: "minmax(12rem,3fr)",
  },
  { id: "type", header: "Type", cell: ({ type }) => <Badge>{type}</Badge>, width: "7rem", wideOnly: true },
  { id: "owner", header: "Owner", cell: (memory) => formatOwner(memory), width: "9rem", showOnPhone: true },
  { id: "changed", header: "Updated", cell: ({ updatedAt }) => <Time at={updatedAt} />, width: "7rem" },
];

/** The memories of agents, newest first, with a search. */
export function Memories({ selected }: { selected: string | undefined }) {
  const [text] = useUrlState("q");
  const [agent] = useUrlState("agent");
  const [space] = useUrlState("space");
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  const spaces = useGet<MemorySpaces>("/memories/spaces").data?.spaces ?? [];
  const pages = usePages<MemoryList>("/memories", { text, agent, space, limit: PAGE_SIZE }, (page, all) =>
    page.memories.length < PAGE_SIZE ? undefined : { offset: all.length * PAGE_SIZE },
  );
  const memories = pages.data?.pages.flatMap((page) => page.memories) ?? [];
  return (
    <>
      <FilterBar
        {...(pages.data ? { summary: `${memories.length} of ${pages.data.pages[0]?.total ?? 0}` } : {})}
      >
        <SearchField label="Search memories" />
        <FilterSelect name="agent" label="Agent" options={agents.map(({ name }) => [name, name])} />
        {spaces.length > 0 && (
          <FilterSelect name="space" label="Space" options={spaces.map(({ name }) => [name, name])} />
        )}
      </FilterBar>
      {pages.error && !pages.data ? (
        <ErrorState problem={pages.error} retry={() => void pages.refetch()} />
      ) : !pages.data ? (
        <LoadingState />
      ) : (
        <DataTable
          label="Memories"
          rows={memories}
          columns={COLUMNS}
          rowKey={({ id }) => id}
          rowLink={({ id }) => urlWith({}, joinPath("knowledge", "memories", id))}
          selected={selected}
          more={{
            hasMore: pages.hasNextPage,
            isLoading: pages.isFetchingNextPage,
            load: () => void pages.fetchNextPage(),
          }}
          empty={
            <EmptyState title={text === "" ? "No memories yet" : "No matching memories"}>
              Agents store memories with memory_put and find them again in later conversations.
            </EmptyState>
          }
        />
      )}
    </>
  );
}

export function formatOwner({ agent, space }: Pick<MemoryView, "agent" | "space">): string {
  return space === null ? (agent ?? "none") : `space ${space}`;
}
