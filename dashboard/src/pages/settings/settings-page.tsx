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
import { SettingPanel } from "./setting-panel.tsx";
import { ORIGINS, valueText } from "./setting-words.ts";

/** The settings in force, whether this installation is in order, and what it is. */
export function Page({ params: { key } }: PageProps) {
  const view = useTab("view", ["settings", "health", "about"]);
  const list = useGet<SettingList>("/settings");
  const shown = list.data?.settings.find((setting) => setting.key === key);
  return (
    <PageFrame
      title="Settings"
      panel={view === "settings" && shown && <SettingPanel key={shown.key} setting={shown} />}
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
          {(data) => <Settings list={data} selected={shown?.key} unknown={shown ? undefined : key} />}
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
  /** What the address names, where there is none of that name. */
  unknown: string | undefined;
}) {
  const [words] = useUrlState("q");
  const [origin] = useUrlState("origin");
  const rows = settings.filter(
    (setting) =>
      (origin === "" || (origin === "changed" ? setting.origin !== "default" : setting.origin === origin)) &&
      `${setting.key} ${setting.description}`.toLowerCase().includes(words.toLowerCase()),
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
          There is no setting <UntrustedText text={unknown} mono max={100} />.
        </p>
      )}
      <FilterBar summary={`${rows.length} of ${settings.length}`}>
        <SearchField label="Find a setting" />
        <FilterSelect
          name="origin"
          label="Comes from"
          options={[["changed", "Anything but the default"], ...FROM]}
        />
      </FilterBar>
      <DataTable
        label="Settings"
        rows={rows}
        columns={selected === undefined ? COLUMNS : BESIDE_PANEL}
        rowKey={(setting) => setting.key}
        rowLink={(setting) => urlWith({}, joinPath("settings", setting.key))}
        selected={selected}
        empty={<EmptyState title="No setting fits" />}
      />
    </>
  );
}

const FROM = Object.entries(ORIGINS);

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
    cell: ({ value }) => <UntrustedText text={valueText(value)} line mono />,
  },
  {
    id: "origin",
    header: "Comes from",
    width: "10rem",
    sortBy: ({ origin }) => origin,
    cell: ({ origin }) => (
      <StateMark tone={origin === "default" ? "neutral" : "accent"}>{ORIGINS[origin]}</StateMark>
    ),
  },
  {
    id: "about",
    header: "What it does",
    width: "minmax(0,2.2fr)",
    cell: ({ description }) => <span className="text-soft">{description}</span>,
  },
  {
    id: "change",
    header: "Changed",
    width: "7.5rem",
    cell: ({ schema, fixed, restart }) =>
      schema !== null && fixed === null ? (
        <Badge tone="accent">here</Badge>
      ) : restart ? (
        <Badge title="In the file or the environment; it counts from the next start on">at start</Badge>
      ) : (
        <span className="text-soft" title={fixed ?? "It is changed in the settings file, and counts at once"}>
          in the file
        </span>
      ),
  },
];

const BESIDE_PANEL = COLUMNS.filter(({ id, showOnPhone }) => id === "key" || showOnPhone);
