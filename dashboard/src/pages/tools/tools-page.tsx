import { useEffect, useMemo } from "react";
import { joinPath } from "../../api/client.ts";
import type { AgentList, ListedTool, ToolList, ToolMatch, ToolSearchAnswer } from "../../api/contract.ts";
import { useGet, usePages } from "../../api/use-api.ts";
import { urlWith, useUrlState } from "../../app/location.ts";
import type { PageProps } from "../../app/routes.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { FilterBar, FilterSelect, SearchField } from "../../ui/filter-bar.tsx";
import { Page as PageFrame } from "../../ui/page.tsx";
import { EmptyState, ErrorState, LoadingState } from "../../ui/states.tsx";
import {
  formatCompact,
  formatCount,
  formatOrigin,
  getToolKind,
  KIND_OPTIONS,
  KindBadge,
  Origin,
  STATE_OPTIONS,
  ToolDescription,
  ToolName,
  ToolStateMark,
} from "../access/tool-labels.tsx";
import { MatchScore, MatchSummary } from "./match-explanation.tsx";
import { ToolPanel } from "./tool-panel.tsx";

/** A small first page shows quickly; the rest follows in larger pages. */
const FIRST_PAGE_SIZE = 200;
const PAGE_SIZE = 2_000;
const MAX_MATCHES = 50;
/** The default limit of `tool_search`. */
const MODEL_MATCHES = 5;

const NAME: Column<ListedTool> = {
  id: "name",
  header: "Name",
  cell: ({ name }) => <ToolName name={name} />,
  sortBy: ({ name }) => name,
  width: "minmax(10rem,1.3fr)",
};
const SOURCE: Column<ListedTool> = {
  id: "origin",
  header: "Source",
  cell: ({ origin }) => formatOrigin(origin),
  sortBy: ({ origin }) => origin,
  width: "8rem",
};
const TOKENS: Column<ListedTool> = {
  id: "tokens",
  header: "Tokens",
  cell: ({ tokens }) => formatCompact(tokens),
  sortBy: ({ tokens }) => tokens,
  width: "4.5rem",
  alignEnd: true,
};
const DESCRIPTION: Column<ListedTool> = {
  id: "does",
  header: "Description",
  cell: (tool) => <ToolDescription tool={tool} />,
  width: "minmax(0,2.2fr)",
};
const STATE: Column<ListedTool> = {
  id: "state",
  header: "State",
  cell: ({ status }) => <ToolStateMark status={status} />,
  sortBy: ({ status }) => status.kind,
  width: "8.5rem",
  showOnPhone: true,
};
const COLUMNS: readonly Column<ListedTool>[] = [
  NAME,
  DESCRIPTION,
  SOURCE,
  {
    id: "kind",
    header: "Kind",
    cell: ({ flags }) => <KindBadge flags={flags} />,
    sortBy: ({ flags }) => getToolKind(flags),
    width: "7.5rem",
  },
  STATE,
  TOKENS,
];

const COLUMNS_BESIDE_PANEL: readonly Column<ListedTool>[] = [
  NAME,
  { ...DESCRIPTION, width: "minmax(0,1fr)" },
  STATE,
];

/** The tool catalogue, searched as a model searches it, and one tool in the panel. */
export function Page({ params: { name } }: PageProps) {
  const [text] = useUrlState("q");
  const [agent] = useUrlState("as");
  const [origin] = useUrlState("from");
  const [flag] = useUrlState("kind");
  const [state] = useUrlState("state");
  const filter = { agent, origin, flag, state };
  const query = text.trim();
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  const catalogue = useCatalogue(filter);
  const search = useGet<ToolSearchAnswer>(query === "" ? undefined : "/tool-search", {
    params: { query, limit: MAX_MATCHES, ...filter },
    keepPrevious: true,
  });
  const match = query === "" ? undefined : search.data?.matches.find(({ tool }) => tool.name === name);
  const origins = catalogue.origins.map(
    ({ origin: id, tools }) => [id, `${formatOrigin(id)} (${tools})`] as const,
  );
  return (
    <PageFrame
      title="Tools"
      description={`Every tool that agents can call. Search works as it does for models, which get the top ${MODEL_MATCHES}.`}
      panel={name !== undefined && <ToolPanel key={name} name={name} match={match} />}
    >
      <FilterBar summary={query === "" ? catalogue.summary : summarizeMatches(search.data)}>
        <SearchField label="Describe what the tool should do" />
        <FilterSelect
          name="as"
          label="Seen by"
          options={agents.map((one) => [one.name, `Seen by ${one.name}`] as const)}
        />
        <FilterSelect name="from" label="Source" options={origins} />
        <FilterSelect name="kind" label="Kind" options={KIND_OPTIONS} />
        <FilterSelect name="state" label="State" options={STATE_OPTIONS} />
      </FilterBar>
      {query === "" ? (
        <Catalogue catalogue={catalogue} selected={name} />
      ) : search.data ? (
        <Matches matches={search.data.matches} selected={name} />
      ) : search.error ? (
        <ErrorState problem={search.error} retry={() => void search.refetch()} />
      ) : (
        <LoadingState />
      )}
    </PageFrame>
  );
}

/** Loads all pages of the catalogue, one right after the other. */
function useCatalogue(filter: Readonly<Record<string, string>>) {
  const params = { ...filter, brief: true, limit: FIRST_PAGE_SIZE };
  const query = usePages<ToolList>("/tools", params, (page, pages) => {
    const read = pages.reduce((sum, { tools }) => sum + tools.length, 0);
    return page.tools.length > 0 && read < page.total ? { offset: read, limit: PAGE_SIZE } : undefined;
  });
  const { hasNextPage, isFetching, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const pages = query.data?.pages;
  const first = pages?.[0];
  const includesPlanned = filter.state !== "";
  const tools = useMemo(() => {
    const read = (pages ?? []).flatMap((page) => page.tools);
    // Planned tools are listed only when the state filter asks for them.
    return (includesPlanned ? read : read.filter(({ status }) => status.kind !== "planned")).sort(
      compareOrigins,
    );
  }, [pages, includesPlanned]);
  const total = hasNextPage ? (first?.total ?? 0) : tools.length;
  return {
    query,
    tools,
    origins: first?.origins ?? [],
    summary: first ? `${total.toLocaleString("en")} tools` : "",
  };
}

/** Servers first, then plugins and custom tools; built-in tools come last. */
const ORIGIN_ORDER = ["mcp", "plugin", "custom"];

function compareOrigins(a: ListedTool, b: ListedTool): number {
  const rank = ({ origin }: ListedTool) => {
    const at = ORIGIN_ORDER.indexOf(origin.split(":", 1)[0]!);
    return at === -1 ? ORIGIN_ORDER.length : at;
  };
  return rank(a) - rank(b) || compare(a.origin, b.origin) || compare(a.name, b.name);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const GROUP_BY_ORIGIN = {
  of: ({ origin }: ListedTool) => origin,
  heading: (origin: string, count: number) => (
    <span className="flex items-baseline gap-2">
      <Origin origin={origin} />
      <span className="shrink-0 font-normal text-soft">{formatCount(count, "tool")}</span>
    </span>
  ),
};

function Catalogue({
  catalogue: { query, tools },
  selected,
}: {
  catalogue: ReturnType<typeof useCatalogue>;
  selected: string | undefined;
}) {
  if (query.error && !query.data)
    return <ErrorState problem={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <LoadingState />;
  return (
    <DataTable
      label="Tools"
      rows={tools}
      columns={selected === undefined ? COLUMNS : COLUMNS_BESIDE_PANEL}
      rowKey={(tool) => tool.name}
      rowLink={(tool) => urlWith({}, joinPath("tools", tool.name))}
      group={GROUP_BY_ORIGIN}
      selected={selected}
      empty={
        <EmptyState title="No matching tools">
          <p>Remove a filter, or add a server that has the tool you need.</p>
        </EmptyState>
      }
    />
  );
}

function Matches({ matches, selected }: { matches: readonly ToolMatch[]; selected: string | undefined }) {
  const best = Math.max(1e-9, ...matches.map(({ score }) => score));
  const columns: readonly Column<ToolMatch>[] = [
    { ...toMatchColumn(NAME), width: "minmax(10rem,1.3fr)" },
    {
      id: "score",
      header: "Score",
      cell: (match) => <MatchScore match={match} best={best} />,
      width: "6rem",
      showOnPhone: true,
    },
    { id: "why", header: "Why", cell: (match) => <MatchSummary match={match} />, width: "minmax(0,2fr)" },
    ...(selected === undefined ? [toMatchColumn(SOURCE), toMatchColumn(TOKENS)] : []),
  ];
  return (
    <DataTable
      label="Matching tools, best first"
      rows={matches}
      columns={columns}
      rowKey={({ tool }) => tool.name}
      rowLink={({ tool }) => urlWith({}, joinPath("tools", tool.name))}
      selected={selected}
      empty={
        <EmptyState title="No matching tools">
          <p>A model would not find any either. Describe the tool in other words, or remove a filter.</p>
        </EmptyState>
      }
    />
  );
}

/** Adapts a tool column to matches. Not sortable, because matches keep their rank. */
function toMatchColumn({ sortBy: _, ...column }: Column<ListedTool>): Column<ToolMatch> {
  return { ...column, cell: ({ tool }) => column.cell(tool) };
}

function summarizeMatches(answer: ToolSearchAnswer | undefined): string {
  if (!answer) return "";
  return `Top ${answer.matches.length} of ${answer.among.toLocaleString("en")}`;
}
