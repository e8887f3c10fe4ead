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
import { formatCount } from "../access/tool-labels.tsx";
import { ActionList } from "./action-list.tsx";
import { type AuditFilters, RANGES, toParams, useAuditFilters } from "./audit-filters.ts";
import { useAuditRows } from "./audit-rows.ts";
import { CallPanel } from "./call-panel.tsx";
import { Integrity } from "./integrity.tsx";
import { OUTCOMES, OutcomeMark } from "./outcome-mark.tsx";

/** The audit log: calls as they are recorded, actions of people, and the integrity check. */
export function Page({ params: { id } }: PageProps) {
  const view = useTab("view", ["calls", "actions", "integrity"]);
  const filters = useAuditFilters();
  return (
    <PageFrame
      title="Audit"
      description="Every call, and every change that people made."
      actions={view !== "integrity" && <ExportLink what={view} filters={filters} />}
      panel={
        view === "calls" && id !== undefined && <CallPanel key={id} id={id} closeTo={urlWith({}, "/audit")} />
      }
    >
      <Tabs
        name="view"
        label="Audit"
        tabs={[
          { id: "calls", label: "Calls" },
          { id: "actions", label: "Actions" },
          { id: "integrity", label: "Integrity" },
        ]}
      />
      {view === "calls" && <Calls filters={filters} selected={id} />}
      {view === "actions" && <ActionList />}
      {view === "integrity" && <Integrity />}
    </PageFrame>
  );
}

function ExportLink({ what: view, filters }: { what: "calls" | "actions"; filters: AuditFilters }) {
  const params = Object.entries({ what: view, ...(view === "calls" ? toParams(filters) : {}) });
  const query = new URLSearchParams(params.map(([name, value]) => [name, String(value)]));
  return (
    <a
      className={buttonClasses()}
      href={`${BASE}/api/audit/export?${query}`}
      download={`audit-${view}.jsonl`}
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
  const canFollow = useCallback(() => isLive && isAtTop.current, [isLive]);
  const audit = useAuditRows(filters, canFollow);
  const { rows, fresh, loading, problem, more } = audit;
  const selectedIndex = rows.findIndex((call) => call.id === selected);
  const openRow = (index: number) => {
    const call = rows[Math.min(rows.length - 1, Math.max(0, index))];
    if (call) navigate(callUrl(call.id));
  };
  useKeys({ j: () => openRow(selectedIndex + 1), k: () => openRow(selectedIndex - 1) });
  const showNew = () => {
    audit.show();
    frame.current?.querySelector('[role="region"]')?.scrollTo({ top: 0 });
  };
  const count = more.hasMore
    ? `${rows.length.toLocaleString("en")}+ calls`
    : formatCount(rows.length, "call");
  return (
    <>
      <Filters summary={loading && rows.length === 0 ? "" : count} isLive={isLive} setLive={setLive} />
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
            Show {fresh.length.toLocaleString("en")} new
          </button>
        )}
        {loading && rows.length === 0 && <LoadingState label="Loading calls" />}
        <DataTable
          label="Calls"
          pageHandlesKeys
          rows={rows}
          columns={selected === undefined ? COLUMNS : COLUMNS_BESIDE_PANEL}
          rowKey={(call) => call.id}
          rowLink={(call) => callUrl(call.id)}
          selected={selected}
          more={{ ...more, isLoading: loading && rows.length > 0 }}
          empty={!loading && !problem && <NoCalls isFiltered={Object.keys(filters).length > 0} />}
        />
      </div>
    </>
  );
}

function callUrl(id: string): string {
  return urlWith({}, joinPath("audit", id));
}

function NoCalls({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState title="No matching calls" action={<TextLink to="/audit">Clear filters</TextLink>} />
  ) : (
    <EmptyState title="No calls yet">
      Calls appear here as agents make them. <TextLink to="/agents">Create an agent</TextLink> and connect a
      client.
    </EmptyState>
  );
}

interface FiltersProps {
  readonly summary: string;
  readonly isLive: boolean;
  readonly setLive: (isLive: boolean) => void;
}

function Filters({ summary, isLive, setLive }: FiltersProps) {
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  const [range] = useUrlState("range");
  return (
    <FilterBar summary={summary}>
      <SearchField label="Find by tool name" />
      <FilterSelect
        name="agent"
        label="Agent"
        options={[["operator", "People (operator)"], ...agents.map(({ name }) => [name, name] as const)]}
      />
      <FilterSelect
        name="outcome"
        label="Outcome"
        options={Object.entries(OUTCOMES).map(([id, [label]]) => [id, label])}
      />
      <FilterSelect
        name="decision"
        label="Decision"
        options={[
          ["allow", "Allowed"],
          ["ask", "Asked"],
          ["deny", "Denied"],
        ]}
      />
      <FilterSelect name="range" label="Time" options={RANGES} />
      {range === "between" && (
        <>
          <TimeInput name="from" label="From" />
          <TimeInput name="to" label="To" />
        </>
      )}
      <FilterChip name="tool" label="tool" />
      <FilterChip name="conversation" label="conversation" />
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

/** A local time, kept in the URL parameter `name`. */
function TimeInput({ name, label }: { name: string; label: string }) {
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

/** A filter that came from a link, with a button to remove it. */
function FilterChip({ name, label }: { name: string; label: string }) {
  const [value, setValue] = useUrlState(name);
  if (value === "") return null;
  return (
    <span className="inline-flex max-w-64 items-center">
      <Badge tone="accent">
        {label}: <UntrustedText text={value} line mono />
      </Badge>
      <IconButton icon="close" label={`Remove ${label} filter`} onClick={() => setValue("")} />
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
    header: "Duration",
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

/** Beside an open panel only the most telling columns fit. */
const COLUMNS_BESIDE_PANEL = COLUMNS.filter(
  ({ id, showOnPhone }) => id === "tool" || id === "agent" || showOnPhone,
);
