import { joinPath } from "../../api/client.ts";
import type { RuleList, RuleView } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { navigate, urlWith, useUrlState } from "../../app/location.ts";
import type { PageProps } from "../../app/routes.ts";
import { RequireRole } from "../../app/session.tsx";
import { StateMark } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { FilterBar, FilterSelect, SearchField } from "../../ui/filter-bar.tsx";
import { Page as PageFrame } from "../../ui/page.tsx";
import { EmptyState, QueryView } from "../../ui/states.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { NOT_EDITING, RuleEditor } from "./rule-editor.tsx";
import { RulePanel } from "./rule-panel.tsx";
import { ACTIONS, ORIGINS, ruleInWords, ruleKey, whereFrom } from "./rule-words.ts";
import { TryCall } from "./try-call.tsx";

/** What may run, what is asked about, what never runs; and why. */
export function Page({ params: { id } }: PageProps) {
  const view = useTab("view", ["rules", "try"]);
  const [editing, setEditing] = useUrlState("edit");
  const rules = useGet<RuleList>("/rules");
  const shown = rules.data?.rules.find((rule) => ruleKey(rule) === id);
  const edited = editing === "new" ? undefined : rules.data?.rules.find((rule) => rule.id === editing);
  return (
    <PageFrame
      title="Rules"
      description="The most specific rule that fits a call decides; where none does, it runs."
      actions={
        <RequireRole role="admin">
          <Button look="primary" icon="plus" onClick={() => setEditing("new")}>
            Add a rule
          </Button>
        </RequireRole>
      }
      panel={view === "rules" && shown && <RulePanel key={ruleKey(shown)} rule={shown} />}
    >
      <Tabs
        name="view"
        label="Rules"
        tabs={[
          { id: "rules", label: "Rules" },
          { id: "try", label: "What would happen if …" },
        ]}
      />
      {view === "rules" ? (
        <QueryView query={rules}>
          {({ rules: all }) => <Rules all={all} selected={id} isOpen={!!shown} />}
        </QueryView>
      ) : (
        <TryCall />
      )}
      {(editing === "new" || edited) && (
        <RuleEditor
          key={editing}
          {...(edited && { rule: edited })}
          onClose={() => navigate(urlWith(NOT_EDITING), { replace: true })}
        />
      )}
    </PageFrame>
  );
}

interface RulesProps {
  readonly all: readonly RuleView[];
  readonly selected: string | undefined;
  readonly isOpen: boolean;
}

function Rules({ all, selected, isOpen }: RulesProps) {
  const [words] = useUrlState("q");
  const [action] = useUrlState("action");
  const [from] = useUrlState("from");
  const rows = all.filter(
    (rule) =>
      (action === "" || rule.action === action) &&
      (from === "" || rule.from === from) &&
      `${ruleInWords(rule)} ${rule.permission} ${rule.note}`.toLowerCase().includes(words.toLowerCase()),
  );
  return (
    <>
      <FilterBar summary={`${rows.length} of ${all.length}`}>
        <SearchField label="Find a rule" />
        <FilterSelect
          name="action"
          label="Says"
          options={Object.entries(ACTIONS).map(([each, { label }]) => [each, label])}
        />
        <FilterSelect name="from" label="For whom" options={Object.entries(ORIGINS)} />
      </FilterBar>
      {selected !== undefined && !isOpen && (
        <p role="alert" className="border-b border-line bg-warn-soft px-4 py-2">
          There is no such rule; it may have been removed, or is over.
        </p>
      )}
      <DataTable
        label="Rules"
        rows={rows}
        columns={isOpen ? BESIDE_PANEL : COLUMNS}
        rowKey={ruleKey}
        rowLink={(rule) => urlWith({}, joinPath("rules", ruleKey(rule)))}
        selected={selected}
        empty={
          all.length > 0 ? (
            <EmptyState title="No rule fits" />
          ) : (
            <EmptyState title="There are no rules">
              Every call of a tool that an agent has runs, unasked.
            </EmptyState>
          )
        }
      />
    </>
  );
}

const COLUMNS: readonly Column<RuleView>[] = [
  {
    id: "rule",
    header: "Rule",
    width: "minmax(0,3fr)",
    cell: (rule) => <UntrustedText text={ruleInWords(rule)} line />,
  },
  {
    id: "action",
    header: "Says",
    width: "8rem",
    showOnPhone: true,
    sortBy: ({ action }) => action,
    cell: ({ action }) => <StateMark tone={ACTIONS[action].tone}>{ACTIONS[action].label}</StateMark>,
  },
  {
    id: "for",
    header: "For whom",
    width: "minmax(6rem,0.8fr)",
    sortBy: ({ agent }) => agent ?? "",
    cell: ({ agent, conversation }) =>
      agent === null ? (
        <span className="text-soft">every agent</span>
      ) : (
        <UntrustedText text={conversation === null ? agent : `${agent}, one conversation`} line />
      ),
  },
  {
    id: "from",
    header: "From",
    width: "minmax(7rem,1fr)",
    sortBy: ({ from }) => from,
    cell: (rule) => (
      <span className="text-soft">
        <UntrustedText text={whereFrom(rule)} line />
      </span>
    ),
  },
  {
    id: "until",
    header: "Until",
    width: "6.5rem",
    cell: ({ expiresAt }) =>
      expiresAt === null ? <span className="text-soft">for good</span> : <Time at={expiresAt} />,
  },
];

const BESIDE_PANEL = COLUMNS.filter(({ id, showOnPhone }) => id === "rule" || showOnPhone);
