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
  counted,
  KIND_OPTIONS,
  KindBadge,
  kindOf,
  Origin,
  originWords,
  STATE_OPTIONS,
  short,
  ToolLine,
  ToolName,
  ToolStateMark,
} from "../access/tool-words.tsx";
import { ToolPanel } from "./tool-panel.tsx";
import { Score, WhyLine } from "./why.tsx";

/** So many are there at once; the rest comes in larger pieces. */
const FIRST = 200;
const PAGE = 2_000;
const MATCHES = 50;
/** What `tool_search` gives where nothing else is asked for. */
const MODELS_GET = 5;

const NAME: Column<ListedTool> = {
  id: "name",
  header: "Name",
  cell: ({ name }) => <ToolName name={name} />,
  sortBy: ({ name }) => name,
  width: "minmax(10rem,1.3fr)",
};
const FROM: Column<ListedTool> = {
  id: "origin",
  header: "From",
  cell: ({ origin }) => originWords(origin),
  sortBy: ({ origin }) => origin,
  width: "8rem",
};
const TOKENS: Column<ListedTool> = {
  id: "tokens",
  header: "Tokens",
  cell: ({ tokens }) => short(tokens),
  sortBy: ({ tokens }) => tokens,
  width: "4.5rem",
  alignEnd: true,
};
const DOES: Column<ListedTool> = {
  id: "does",
  header: "Does",
  cell: (tool) => <ToolLine tool={tool} />,
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
  DOES,
  FROM,
  {
    id: "kind",
    header: "Kind",
    cell: ({ flags }) => <KindBadge flags={flags} />,
    sortBy: ({ flags }) => kindOf(flags),
    width: "7.5rem",
  },
  STATE,
  TOKENS,
];
/** Beside the details of one there is less room. */
const FEW: readonly Column<ListedTool>[] = [NAME, { ...DOES, width: "minmax(0,1fr)" }, STATE];

/** Every tool there is, found as a model finds them, and one of them in full. */
export function Page({ params: { name } }: PageProps) {
  const [words] = useUrlState("q");
  const [agent] = useUrlState("as");
  const [origin] = useUrlState("from");
  const [flag] = useUrlState("kind");
  const [state] = useUrlState("state");
  const filter = { agent, origin, flag, state };
  const query = words.trim();
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  const catalogue = useCatalogue(filter);
  const found = useGet<ToolSearchAnswer>(query === "" ? undefined : "/tool-search", {
    params: { query, limit: MATCHES, ...filter },
    keepPrevious: true,
  });
  const match = query === "" ? undefined : found.data?.matches.find(({ tool }) => tool.name === name);
  const origins = catalogue.origins.map(
    ({ origin: id, tools }) => [id, `${originWords(id)} (${tools})`] as const,
  );
  return (
    <PageFrame
      title="Tools"
      description={`Everything an agent could call. The search is the one models use; they get the best ${MODELS_GET}.`}
      panel={name !== undefined && <ToolPanel key={name} name={name} match={match} />}
    >
      <FilterBar summary={query === "" ? catalogue.shown : shownOf(found.data)}>
        <SearchField label="Say what the tool should do" />
        <FilterSelect
          name="as"
          label="Seen by"
          options={agents.map((one) => [one.name, `Seen by ${one.name}`] as const)}
        />
        <FilterSelect name="from" label="From" options={origins} />
        <FilterSelect name="kind" label="Kind" options={KIND_OPTIONS} />
        <FilterSelect name="state" label="State" options={STATE_OPTIONS} />
      </FilterBar>
      {query === "" ? (
        <Catalogue catalogue={catalogue} selected={name} />
      ) : found.data ? (
        <Matches matches={found.data.matches} selected={name} />
      ) : found.error ? (
        <ErrorState problem={found.error} retry={() => void found.refetch()} />
      ) : (
        <LoadingState />
      )}
    </PageFrame>
  );
}

/** All pages of the list, the first at once and the others right behind it. */
function useCatalogue(filter: Readonly<Record<string, string>>) {
  const params = { ...filter, brief: true, limit: FIRST };
  const query = usePages<ToolList>("/tools", params, (page, pages) => {
    const read = pages.reduce((sum, { tools }) => sum + tools.length, 0);
    return page.tools.length > 0 && read < page.total ? { offset: read, limit: PAGE } : undefined;
  });
  const { hasNextPage, isFetching, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const pages = query.data?.pages;
  const first = pages?.[0];
  const isAnnouncedWanted = filter.state !== "";
  const tools = useMemo(() => {
    const read = (pages ?? []).flatMap((page) => page.tools);
    // What is announced and not built yet is listed for whoever asks for it.
    return (isAnnouncedWanted ? read : read.filter(({ status }) => status.kind !== "planned")).sort(byOrigin);
  }, [pages, isAnnouncedWanted]);
  const total = hasNextPage ? (first?.total ?? 0) : tools.length;
  return {
    query,
    tools,
    origins: first?.origins ?? [],
    shown: first ? `${total.toLocaleString("en")} tools` : "",
  };
}

/** Servers by name first, then plugins and scripts, then what comes with Toolkeep. */
const ORIGIN_ORDER = ["mcp", "plugin", "custom"];

function byOrigin(a: ListedTool, b: ListedTool): number {
  const rank = ({ origin }: ListedTool) => {
    const at = ORIGIN_ORDER.indexOf(origin.split(":", 1)[0]!);
    return at === -1 ? ORIGIN_ORDER.length : at;
  };
  return rank(a) - rank(b) || compare(a.origin, b.origin) || compare(a.name, b.name);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const BY_ORIGIN = {
  of: ({ origin }: ListedTool) => origin,
  heading: (origin: string, count: number) => (
    <span className="flex items-baseline gap-2">
      <Origin origin={origin} />
      <span className="shrink-0 font-normal text-soft">{counted(count, "tool")}</span>
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
      columns={selected === undefined ? COLUMNS : FEW}
      rowKey={(tool) => tool.name}
      rowLink={(tool) => urlWith({}, joinPath("tools", tool.name))}
      group={BY_ORIGIN}
      selected={selected}
      empty={
        <EmptyState title="No tool fits">
          <p>Ask for fewer conditions above, or add a server that has what you look for.</p>
        </EmptyState>
      }
    />
  );
}

function Matches({ matches, selected }: { matches: readonly ToolMatch[]; selected: string | undefined }) {
  const best = Math.max(1e-9, ...matches.map(({ score }) => score));
  const columns: readonly Column<ToolMatch>[] = [
    { ...of(NAME), width: "minmax(10rem,1.3fr)" },
    {
      id: "score",
      header: "Score",
      cell: (match) => <Score match={match} best={best} />,
      width: "6rem",
      showOnPhone: true,
    },
    { id: "why", header: "Why", cell: (match) => <WhyLine match={match} />, width: "minmax(0,2fr)" },
    ...(selected === undefined ? [of(FROM), of(TOKENS)] : []),
  ];
  return (
    <DataTable
      label="Tools, best first"
      rows={matches}
      columns={columns}
      rowKey={({ tool }) => tool.name}
      rowLink={({ tool }) => urlWith({}, joinPath("tools", tool.name))}
      selected={selected}
      empty={
        <EmptyState title="A model would find nothing">
          <p>Try other words for what the tool should do, or fewer conditions above.</p>
        </EmptyState>
      }
    />
  );
}

/** A column of tools for what holds one. Matches stay in their order. */
function of({ sortBy: _, ...column }: Column<ListedTool>): Column<ToolMatch> {
  return { ...column, cell: ({ tool }) => column.cell(tool) };
}

function shownOf(found: ToolSearchAnswer | undefined): string {
  if (!found) return "";
  return `best ${found.matches.length} of ${found.among.toLocaleString("en")}`;
}
