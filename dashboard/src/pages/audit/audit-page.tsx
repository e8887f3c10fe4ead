import { useCallback, useRef, useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { AgentList, CallView } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { BASE } from "../../app/base.ts";
import { navigate, urlWith, useUrlState } from "../../app/location.ts";
import type { PageProps } from "../../app/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClasses, IconButton } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { FilterBar, FilterSelect, SearchField } from "../../ui/filter-bar.tsx";
import { Icon } from "../../ui/icon.tsx";
import { TextLink } from "../../ui/link.tsx";
import { Page as PageFrame } from "../../ui/page.tsx";
import { EmptyState, ErrorState, LoadingState } from "../../ui/states.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { formatDuration, Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { useKeys } from "../../ui/use-keys.ts";
import { ActionList } from "./action-list.tsx";
import { type AuditFilters, paramsOf, RANGES, useAuditFilters } from "./audit-filters.ts";
import { useAuditRows } from "./audit-rows.ts";
import { CallPanel } from "./call-panel.tsx";
import { Integrity } from "./integrity.tsx";
import { OUTCOMES, OutcomeMark } from "./outcome-mark.tsx";

/** What happened: calls as they are recorded, what people did, and whether all of it is as it was written. */
export function Page({ params: { id } }: PageProps) {
  const view = useTab("view", ["calls", "actions", "integrity"]);
  const filters = useAuditFilters();
  return (
    <PageFrame
      title="Audit"
      description="Every call, and what people did beside calling."
      actions={view !== "integrity" && <ExportLink what={view} filters={filters} />}
      panel={
        view === "calls" && id !== undefined && <CallPanel key={id} id={id} back={urlWith({}, "/audit")} />
      }
    >
      <Tabs
        name="view"
        label="Audit"
        tabs={[
          { id: "calls", label: "Calls" },
          { id: "actions", label: "What people did" },
          { id: "integrity", label: "Integrity" },
        ]}
      />
      {view === "calls" && <Calls filters={filters} selected={id} />}
      {view === "actions" && <ActionList />}
      {view === "integrity" && <Integrity />}
    </PageFrame>
  );
}

function ExportLink({ what, filters }: { what: "calls" | "actions"; filters: AuditFilters }) {
  const params = Object.entries({ what, ...(what === "calls" ? paramsOf(filters) : {}) });
  const query = new URLSearchParams(params.map(([name, value]) => [name, String(value)]));
  return (
    <a
      className={buttonClasses()}
      href={`${BASE}/api/audit/export?${query}`}
      download={`audit-${what}.jsonl`}
    >
      <Icon name="out" />
      Export
    </a>
  );
}

function Calls({ filters, selected }: { filters: AuditFilters; selected: string | undefined }) {
  const frame = useRef<HTMLDivElement>(null);
  const isAtTop = useRef(true);
  const [isLive, setLive] = useState(true);
  const follow = useCallback(() => isLive && isAtTop.current, [isLive]);
  const audit = useAuditRows(filters, follow);
  const { rows, fresh, loading, problem, more } = audit;
  const at = rows.findIndex((call) => call.id === selected);
  const goTo = (index: number) => {
    const call = rows[Math.min(rows.length - 1, Math.max(0, index))];
    if (call) navigate(linkTo(call.id));
  };
  useKeys({ j: () => goTo(at + 1), k: () => goTo(at - 1) });
  const showNew = () => {
    audit.show();
    frame.current?.querySelector('[role="region"]')?.scrollTo({ top: 0 });
  };
  const count = `${rows.length.toLocaleString("en")}${more.hasMore ? "+" : ""} calls`;
  return (
    <>
      <Filters shown={loading && rows.length === 0 ? "" : count} isLive={isLive} setLive={setLive} />
      {problem && <ErrorState problem={problem} retry={audit.retry} />}
      <div
        ref={frame}
        className="relative flex min-h-0 flex-1 flex-col"
        onScrollCapture={(event) => {
          isAtTop.current = (event.target as HTMLElement).scrollTop < 8;
        }}
      >
        {fresh.length > 0 && (
          <button
            type="button"
            onClick={showNew}
            className="absolute top-10 left-1/2 z-20 -translate-x-1/2 rounded-full bg-accent-fill px-3 py-1 text-xs font-medium text-on-accent shadow-lg"
          >
            {fresh.length.toLocaleString("en")} new
          </button>
        )}
        {loading && rows.length === 0 && <LoadingState label="Loading calls" />}
        <DataTable
          label="Calls"
          pageHandlesKeys
          rows={rows}
          columns={selected === undefined ? COLUMNS : BESIDE_PANEL}
          rowKey={(call) => call.id}
          rowLink={(call) => linkTo(call.id)}
          selected={selected}
          more={{ ...more, isLoading: loading && rows.length > 0 }}
          empty={!loading && !problem && <NoCalls isNarrowed={Object.keys(filters).length > 0} />}
        />
      </div>
    </>
  );
}

function linkTo(id: string): string {
  return urlWith({}, joinPath("audit", id));
}

function NoCalls({ isNarrowed }: { isNarrowed: boolean }) {
  return isNarrowed ? (
    <EmptyState title="No call fits" action={<TextLink to="/audit">Show all</TextLink>} />
  ) : (
    <EmptyState title="Nothing was called yet">
      Calls of agents appear here as they are made. <TextLink to="/agents">Make an agent</TextLink> and
      connect a client.
    </EmptyState>
  );
}

interface FiltersProps {
  readonly shown: string;
  readonly isLive: boolean;
  readonly setLive: (isLive: boolean) => void;
}

function Filters({ shown, isLive, setLive }: FiltersProps) {
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  const [range] = useUrlState("range");
  return (
    <FilterBar summary={shown}>
      <SearchField label="Part of a tool's name" />
      <FilterSelect
        name="agent"
        label="Agent"
        options={[["operator", "operator (people)"], ...agents.map(({ name }) => [name, name] as const)]}
      />
      <FilterSelect
        name="outcome"
        label="Outcome"
        options={Object.entries(OUTCOMES).map(([id, [words]]) => [id, words])}
      />
      <FilterSelect
        name="decision"
        label="Rules said"
        options={[
          ["allow", "Allowed"],
          ["ask", "Asked"],
          ["deny", "Denied"],
        ]}
      />
      <FilterSelect name="range" label="Time" options={RANGES} />
      {range === "between" && (
        <>
          <Moment name="from" label="From" />
          <Moment name="to" label="To" />
        </>
      )}
      <UrlChip name="tool" label="tool" />
      <UrlChip name="conversation" label="conversation" />
      <label className="flex h-8 items-center gap-1.5 max-sm:h-10">
        <input
          type="checkbox"
          className="size-4 accent-accent-fill"
          checked={isLive}
          onChange={(event) => setLive(event.target.checked)}
        />
        Live
      </label>
    </FilterBar>
  );
}

/** A time of the clock here, in the address under `name`. */
function Moment({ name, label }: { name: string; label: string }) {
  const [value, setValue] = useUrlState(name);
  return (
    <input
      type="datetime-local"
      aria-label={label}
      value={value}
      onChange={(event) => setValue(event.target.value)}
      className="h-8 rounded-md border border-line-strong bg-surface px-2 max-sm:h-10"
    />
  );
}

/** What a link narrowed the list by, and how to get rid of it. */
function UrlChip({ name, label }: { name: string; label: string }) {
  const [value, setValue] = useUrlState(name);
  if (value === "") return null;
  return (
    <span className="inline-flex max-w-64 items-center">
      <Badge tone="accent">
        {label}: <UntrustedText text={value} line mono />
      </Badge>
      <IconButton icon="close" label={`Any ${label}`} onClick={() => setValue("")} />
    </span>
  );
}

const COLUMNS: readonly Column<CallView>[] = [
  {
    id: "tool",
    header: "Tool",
    width: "minmax(9rem,1.4fr)",
    cell: ({ tool, requested }) => <UntrustedText text={tool ?? requested} line mono />,
  },
  {
    id: "outcome",
    header: "Outcome",
    width: "9.5rem",
    showOnPhone: true,
    cell: ({ outcome }) => <OutcomeMark outcome={outcome} />,
  },
  {
    id: "agent",
    header: "Agent",
    width: "minmax(5rem,0.7fr)",
    cell: ({ agent, person }) => <UntrustedText text={person ?? agent} line />,
  },
  {
    id: "when",
    header: "When",
    width: "6.5rem",
    showOnPhone: true,
    cell: ({ startedAt }) => <Time at={startedAt} />,
  },
  {
    id: "took",
    header: "Took",
    width: "5rem",
    alignEnd: true,
    cell: ({ durationMs }) => durationMs !== null && formatDuration(durationMs),
  },
  {
    id: "arguments",
    header: "Arguments",
    width: "minmax(0,2fr)",
    cell: ({ arguments: args, error }) => (
      <span className={error ? "text-bad" : "text-soft"}>
        <UntrustedText text={error ?? args} line mono={error === null} max={200} />
      </span>
    ),
  },
];

/** Beside an open panel there is room for what tells them apart only. */
const BESIDE_PANEL = COLUMNS.filter(({ id, showOnPhone }) => id === "tool" || id === "agent" || showOnPhone);
