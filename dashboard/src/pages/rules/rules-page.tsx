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
import { CLOSED_EDITOR_PARAMS, RuleEditor } from "./rule-editor.tsx";
import { ACTIONS, describeRule, describeSource, ORIGINS, ruleKey } from "./rule-labels.ts";
import { RulePanel } from "./rule-panel.tsx";
import { TryCall } from "./try-call.tsx";

/** The list of rules, and a form that tests a call against them. */
export function Page({ params: { id } }: PageProps) {
  const view = useTab("view", ["rules", "try"]);
  const [editedId, setEditedId] = useUrlState("edit");
  const rules = useGet<RuleList>("/rules");
  const selectedRule = rules.data?.rules.find((rule) => ruleKey(rule) === id);
  const editedRule = editedId === "new" ? undefined : rules.data?.rules.find((rule) => rule.id === editedId);
  return (
    <PageFrame
      title="Rules"
      description="The most specific matching rule decides. Without a match, the call runs."
      actions={
        <RequireRole role="admin">
          <Button look="primary" icon="plus" onClick={() => setEditedId("new")}>
            Add rule
          </Button>
        </RequireRole>
      }
      panel={
        view === "rules" && selectedRule && <RulePanel key={ruleKey(selectedRule)} rule={selectedRule} />
      }
    >
      <Tabs
        name="view"
        label="Rules"
        tabs={[
          { id: "rules", label: "Rules" },
          { id: "try", label: "Test a call" },
        ]}
      />
      {view === "rules" ? (
        <QueryView query={rules}>
          {({ rules: all }) => <Rules all={all} selected={id} isOpen={!!selectedRule} />}
        </QueryView>
      ) : (
        <TryCall />
      )}
      {(editedId === "new" || editedRule) && (
        <RuleEditor
          key={editedId}
          {...(editedRule && { rule: editedRule })}
          onClose={() => navigate(urlWith(CLOSED_EDITOR_PARAMS), { replace: true })}
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
  const [query] = useUrlState("q");
  const [action] = useUrlState("action");
  const [from] = useUrlState("from");
  const rows = all.filter(
    (rule) =>
      (action === "" || rule.action === action) &&
      (from === "" || rule.from === from) &&
      `${describeRule(rule)} ${rule.permission} ${rule.note}`.toLowerCase().includes(query.toLowerCase()),
  );
  return (
    <>
      <FilterBar summary={`${rows.length} of ${all.length}`}>
        <SearchField label="Find a rule" />
        <FilterSelect
          name="action"
          label="Action"
          options={Object.entries(ACTIONS).map(([each, { label }]) => [each, label])}
        />
        <FilterSelect name="from" label="Scope" options={Object.entries(ORIGINS)} />
      </FilterBar>
      {selected !== undefined && !isOpen && (
        <p role="alert" className="border-b border-line bg-warn-soft px-4 py-2">
          This rule was not found. It may have expired or been removed.
        </p>
      )}
      <DataTable
        label="Rules"
        rows={rows}
        columns={isOpen ? COLUMNS_BESIDE_PANEL : COLUMNS}
        rowKey={ruleKey}
        rowLink={(rule) => urlWith({}, joinPath("rules", ruleKey(rule)))}
        selected={selected}
        empty={
          all.length > 0 ? (
            <EmptyState title="No matching rules">Change the search or the filters.</EmptyState>
          ) : (
            <EmptyState title="No rules yet">
              Without rules, agents can call every tool they have without asking. Add a rule to change that.
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
    cell: (rule) => <UntrustedText text={describeRule(rule)} line />,
  },
  {
    id: "action",
    header: "Action",
    width: "8rem",
    showOnPhone: true,
    sortBy: ({ action }) => action,
    cell: ({ action }) => <StateMark tone={ACTIONS[action].tone}>{ACTIONS[action].label}</StateMark>,
  },
  {
    id: "for",
    header: "Agent",
    width: "minmax(6rem,0.8fr)",
    sortBy: ({ agent }) => agent ?? "",
    cell: ({ agent, conversation }) =>
      agent === null ? (
        <span className="text-soft">Every agent</span>
      ) : (
        <UntrustedText text={conversation === null ? agent : `${agent}, one conversation`} line />
      ),
  },
  {
    id: "from",
    header: "Source",
    width: "minmax(7rem,1fr)",
    sortBy: ({ from }) => from,
    cell: (rule) => (
      <span className="text-soft">
        <UntrustedText text={describeSource(rule)} line />
      </span>
    ),
  },
  {
    id: "until",
    header: "Expires",
    width: "6.5rem",
    cell: ({ expiresAt }) =>
      expiresAt === null ? <span className="text-soft">Never</span> : <Time at={expiresAt} />,
  },
];

const COLUMNS_BESIDE_PANEL = COLUMNS.filter(({ id, showOnPhone }) => id === "rule" || showOnPhone);
