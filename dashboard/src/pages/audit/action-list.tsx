import type { ActionPage, ActionView, AgentList } from "../../api/contract.ts";
import { useGet, usePages } from "../../api/use-api.ts";
import { urlWith, useUrlState } from "../../app/location.ts";
import { Badge, StateMark } from "../../ui/badge.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Json } from "../../ui/code.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FilterBar, FilterSelect } from "../../ui/filter-bar.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { TextLink } from "../../ui/link.tsx";
import { EmptyState, QueryView } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { escapeInvisible, UntrustedText } from "../../ui/untrusted-text.tsx";
import { describeAction } from "./describe-action.ts";

const KINDS: readonly (readonly [string, string])[] = [
  ["admin", "Changes by people and tokens"],
  ["question.*", "Answers"],
  ["login*", "Sign-ins"],
  ["intent", "Destructive calls, before they run"],
  ["opened", "Daemon starts"],
  ["lost", "Lost records"],
];

/** Everything that was recorded besides calls, newest first. */
export function ActionList() {
  const [kind] = useUrlState("kind");
  const [actor, setActor] = useUrlState("actor");
  const [openKey, setOpenKey] = useUrlState("entry");
  const pages = usePages<ActionPage>(
    "/audit/actions",
    { kind: kind || undefined, actor: actor || undefined, limit: 100 },
    ({ next }) => (next === null ? undefined : { cursor: next }),
  );
  return (
    <QueryView query={pages}>
      {({ pages: read }) => {
        const rows = read.flatMap(({ actions }) => actions);
        const openAction = rows.find((action) => actionKey(action) === openKey);
        return (
          <>
            <FilterBar summary={`${rows.length}${pages.hasNextPage ? "+" : ""} entries`}>
              <FilterSelect name="kind" label="Type" options={KINDS} />
              {actor !== "" && (
                <span className="inline-flex items-center">
                  <Badge tone="accent">
                    by <UntrustedText text={actor} line />
                  </Badge>
                  <IconButton icon="close" label="Remove filter" onClick={() => setActor("")} />
                </span>
              )}
            </FilterBar>
            <DataTable
              label="Actions"
              rows={rows}
              columns={COLUMNS}
              rowKey={actionKey}
              rowLink={(action) => urlWith({ entry: actionKey(action) })}
              selected={openKey || undefined}
              more={{
                hasMore: pages.hasNextPage,
                isLoading: pages.isFetchingNextPage,
                load: () => void pages.fetchNextPage(),
              }}
              empty={
                <EmptyState title="No matching actions">
                  Changes that people make, answers and sign-ins are listed here. Change the filter to see
                  more.
                </EmptyState>
              }
            />
            {openAction && <ActionDialog action={openAction} onClose={() => setOpenKey("")} />}
          </>
        );
      }}
    </QueryView>
  );
}

function actionKey({ chain, seq }: ActionView): string {
  return `${chain}:${seq}`;
}

function ActionDialog({ action, onClose }: { action: ActionView; onClose: () => void }) {
  const { title, name, to, hasFailed } = describeAction(action);
  return (
    <Dialog title={title} onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <KeyValues
        pairs={[
          ["When", <Time key="when" at={action.at} />],
          ["Who", <Actor key="who" action={action} />],
          [
            "Target",
            to === undefined ? (
              name !== "" && <UntrustedText key="name" text={name} />
            ) : (
              <TextLink key="name" to={to}>
                <UntrustedText text={name || "View"} />
              </TextLink>
            ),
          ],
          ["Outcome", hasFailed && <StateMark tone="bad">Refused or failed</StateMark>],
          [
            "Record",
            <span key="kind" className="font-mono text-xs">{`${action.kind}, ${actionKey(action)}`}</span>,
          ],
          ["Path", action.subject !== null && <UntrustedText key="subject" text={action.subject} mono />],
        ]}
      />
      <div className="mt-3">
        <Json value={action.details} label="Details" />
      </div>
    </Dialog>
  );
}

/** Names a person, a token by its label, or an agent. */
function Actor({ action: { actor, details } }: { action: ActionView }) {
  const agents = useGet<AgentList>("/agents").data?.agents;
  if (actor === null) return <span className="text-soft">Toolkeep</span>;
  const { by, label } = (details ?? {}) as { by?: unknown; label?: unknown };
  const agent = agents?.find(({ id }) => id === actor)?.name;
  const name = by === "token" ? `token ${typeof label === "string" && label !== "" ? label : actor}` : agent;
  return (
    <span title={escapeInvisible(actor)}>
      <UntrustedText text={name ?? actor} line />
    </span>
  );
}

const COLUMNS: readonly Column<ActionView>[] = [
  {
    id: "what",
    header: "Action",
    width: "minmax(0,3fr)",
    cell: (action) => <ActionTitle action={action} />,
  },
  {
    id: "actor",
    header: "Who",
    width: "minmax(5rem,1fr)",
    showOnPhone: true,
    cell: (action) => <Actor action={action} />,
  },
  {
    id: "changed",
    header: "Fields",
    width: "minmax(0,1.4fr)",
    wideOnly: true,
    cell: ({ details }) => (
      <span className="text-soft">
        <UntrustedText text={listFields(details).join(", ")} line max={200} />
      </span>
    ),
  },
  { id: "when", header: "When", width: "6.5rem", cell: ({ at }) => <Time at={at} /> },
];

function ActionTitle({ action }: { action: ActionView }) {
  const { title, name, hasFailed } = describeAction(action);
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <span className="shrink-0">{title}</span>
      {name !== "" && (
        <span className="min-w-0 font-semibold">
          <UntrustedText text={name} line />
        </span>
      )}
      {hasFailed && <Badge tone="bad">refused or failed</Badge>}
    </span>
  );
}

/** The names of the fields in a request. Their values are not recorded. */
function listFields(details: unknown): readonly string[] {
  const { keys } = (details ?? {}) as { keys?: unknown };
  return Array.isArray(keys) ? keys.map(String) : [];
}
