import { joinPath } from "../../api/client.ts";
import type { SettingList, SettingView } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { urlWith, useUrlState } from "../../app/location.ts";
import type { PageProps } from "../../app/routes.ts";
import { Badge, StateMark } from "../../ui/badge.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { FilterBar, FilterSelect, SearchField } from "../../ui/filter-bar.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page as PageFrame } from "../../ui/page.tsx";
import { EmptyState, QueryView } from "../../ui/states.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { About } from "./about.tsx";
import { Health } from "./health.tsx";
import { formatValue, ORIGINS } from "./setting-labels.ts";
import { SettingPanel } from "./setting-panel.tsx";

/** The effective settings, the health check, and details of the installation. */
export function Page({ params: { key } }: PageProps) {
  const view = useTab("view", ["settings", "health", "about"]);
  const list = useGet<SettingList>("/settings");
  const selected = list.data?.settings.find((setting) => setting.key === key);
  return (
    <PageFrame
      title="Settings"
      panel={view === "settings" && selected && <SettingPanel key={selected.key} setting={selected} />}
    >
      <Tabs
        name="view"
        label="Settings"
        tabs={[
          { id: "settings", label: "Settings" },
          { id: "health", label: "Health" },
          { id: "about", label: "About and backup" },
        ]}
      />
      {view === "settings" && (
        <QueryView query={list}>
          {(data) => <Settings list={data} selected={selected?.key} unknown={selected ? undefined : key} />}
        </QueryView>
      )}
      {view === "health" && <Health />}
      {view === "about" && <About files={list.data?.files ?? []} />}
    </PageFrame>
  );
}

function Settings({
  list: { settings, warnings },
  selected,
  unknown,
}: {
  list: SettingList;
  selected: string | undefined;
  /** The key in the URL when no setting has it. */
  unknown: string | undefined;
}) {
  const [query] = useUrlState("q");
  const [origin] = useUrlState("origin");
  const rows = settings.filter(
    (setting) =>
      (origin === "" || (origin === "changed" ? setting.origin !== "default" : setting.origin === origin)) &&
      `${setting.key} ${setting.description}`.toLowerCase().includes(query.toLowerCase()),
  );
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} className="flex items-start gap-2 border-b border-line bg-warn-soft px-4 py-2">
          <span className="mt-0.5 text-warn">
            <Icon name="warning" />
          </span>
          <UntrustedText text={warning} />
        </p>
      ))}
      {unknown !== undefined && (
        <p role="alert" className="border-b border-line bg-warn-soft px-4 py-2">
          The setting <UntrustedText text={unknown} mono max={100} /> does not exist.
        </p>
      )}
      <FilterBar summary={`${rows.length} of ${settings.length}`}>
        <SearchField label="Find a setting" />
        <FilterSelect
          name="origin"
          label="Source"
          options={[["changed", "Not the default"], ...ORIGIN_OPTIONS]}
        />
      </FilterBar>
      <DataTable
        label="Settings"
        rows={rows}
        columns={selected === undefined ? COLUMNS : COLUMNS_BESIDE_PANEL}
        rowKey={(setting) => setting.key}
        rowLink={(setting) => urlWith({}, joinPath("settings", setting.key))}
        selected={selected}
        empty={<EmptyState title="No matching settings">Change the search or the filter.</EmptyState>}
      />
    </>
  );
}

const ORIGIN_OPTIONS = Object.entries(ORIGINS);

const COLUMNS: readonly Column<SettingView>[] = [
  {
    id: "key",
    header: "Setting",
    width: "minmax(12rem,1.2fr)",
    sortBy: ({ key }) => key,
    cell: ({ key }) => <span className="font-mono text-xs">{key}</span>,
  },
  {
    id: "value",
    header: "Value",
    width: "minmax(6rem,1fr)",
    showOnPhone: true,
    cell: ({ value }) => <UntrustedText text={formatValue(value)} line mono />,
  },
  {
    id: "origin",
    header: "Source",
    width: "10rem",
    sortBy: ({ origin }) => origin,
    cell: ({ origin }) => (
      <StateMark tone={origin === "default" ? "neutral" : "accent"}>{ORIGINS[origin]}</StateMark>
    ),
  },
  {
    id: "about",
    header: "Description",
    width: "minmax(0,2.2fr)",
    cell: ({ description }) => <span className="text-soft">{description}</span>,
  },
  {
    id: "change",
    header: "Change",
    width: "7.5rem",
    cell: ({ schema, fixed, restart }) =>
      schema !== null && fixed === null ? (
        <Badge tone="accent">here</Badge>
      ) : restart ? (
        <Badge title="Change it in the settings file or the environment, then restart">on restart</Badge>
      ) : (
        <span className="text-soft" title={fixed ?? "Change it in the settings file; it applies immediately"}>
          in the file
        </span>
      ),
  },
];

const COLUMNS_BESIDE_PANEL = COLUMNS.filter(({ id, showOnPhone }) => id === "key" || showOnPhone);
