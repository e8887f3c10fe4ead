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
import { actionInWords } from "./action-words.ts";

const KINDS: readonly (readonly [string, string])[] = [
  ["admin", "Changes by people and tokens"],
  ["question.*", "Answers"],
  ["login*", "Signing in"],
  ["intent", "Destructive calls about to run"],
  ["opened", "Starts"],
  ["lost", "Losses"],
];

/** What was done beside calls, newest first. */
export function ActionList() {
  const [kind] = useUrlState("kind");
  const [actor, setActor] = useUrlState("actor");
  const [open, setOpen] = useUrlState("entry");
  const pages = usePages<ActionPage>(
    "/audit/actions",
    { kind: kind || undefined, actor: actor || undefined, limit: 100 },
    ({ next }) => (next === null ? undefined : { cursor: next }),
  );
  return (
    <QueryView query={pages}>
      {({ pages: read }) => {
        const rows = read.flatMap(({ actions }) => actions);
        const shown = rows.find((action) => keyOf(action) === open);
        return (
          <>
            <FilterBar summary={`${rows.length}${pages.hasNextPage ? "+" : ""} entries`}>
              <FilterSelect name="kind" label="What" options={KINDS} />
              {actor !== "" && (
                <span className="inline-flex items-center">
                  <Badge tone="accent">
                    by <UntrustedText text={actor} line />
                  </Badge>
                  <IconButton icon="close" label="By anybody" onClick={() => setActor("")} />
                </span>
              )}
            </FilterBar>
            <DataTable
              label="What people did"
              rows={rows}
              columns={COLUMNS}
              rowKey={keyOf}
              rowLink={(action) => urlWith({ entry: keyOf(action) })}
              selected={open || undefined}
              more={{
                hasMore: pages.hasNextPage,
                isLoading: pages.isFetchingNextPage,
                load: () => void pages.fetchNextPage(),
              }}
              empty={<EmptyState title="Nothing fits" />}
            />
            {shown && <ActionDialog action={shown} onClose={() => setOpen("")} />}
          </>
        );
      }}
    </QueryView>
  );
}

function keyOf({ chain, seq }: ActionView): string {
  return `${chain}:${seq}`;
}

function ActionDialog({ action, onClose }: { action: ActionView; onClose: () => void }) {
  const { what, name, to, failed } = actionInWords(action);
  return (
    <Dialog title={what} onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <KeyValues
        pairs={[
          ["When", <Time key="when" at={action.at} />],
          ["Who", <Who key="who" action={action} />],
          [
            "To what",
            to === undefined ? (
              name !== "" && <UntrustedText key="name" text={name} />
            ) : (
              <TextLink key="name" to={to}>
                <UntrustedText text={name || "look at it"} />
              </TextLink>
            ),
          ],
          ["Outcome", failed && <StateMark tone="bad">Refused or failed</StateMark>],
          [
            "Record",
            <span key="kind" className="font-mono text-xs">{`${action.kind}, ${keyOf(action)}`}</span>,
          ],
          ["Address", action.subject !== null && <UntrustedText key="subject" text={action.subject} mono />],
        ]}
      />
      <div className="mt-3">
        <Json value={action.details} label="Details" />
      </div>
    </Dialog>
  );
}

/** A person by name, a token by its label, an agent by its name. */
function Who({ action: { actor, details } }: { action: ActionView }) {
  const agents = useGet<AgentList>("/agents").data?.agents;
  if (actor === null) return <span className="text-soft">Toolkeep</span>;
  const { by, label } = (details ?? {}) as { by?: unknown; label?: unknown };
  const agent = agents?.find(({ id }) => id === actor)?.name;
  const words = by === "token" ? `token ${typeof label === "string" && label !== "" ? label : actor}` : agent;
  return (
    <span title={escapeInvisible(actor)}>
      <UntrustedText text={words ?? actor} line />
    </span>
  );
}

const COLUMNS: readonly Column<ActionView>[] = [
  {
    id: "what",
    header: "What",
    width: "minmax(0,3fr)",
    cell: (action) => <What action={action} />,
  },
  {
    id: "actor",
    header: "Who",
    width: "minmax(5rem,1fr)",
    showOnPhone: true,
    cell: (action) => <Who action={action} />,
  },
  {
    id: "changed",
    header: "With",
    width: "minmax(0,1.4fr)",
    wideOnly: true,
    cell: ({ details }) => (
      <span className="text-soft">
        <UntrustedText text={fieldsIn(details).join(", ")} line max={200} />
      </span>
    ),
  },
  { id: "when", header: "When", width: "6.5rem", cell: ({ at }) => <Time at={at} /> },
];

function What({ action }: { action: ActionView }) {
  const { what, name, failed } = actionInWords(action);
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <span className="shrink-0">{what}</span>
      {name !== "" && (
        <span className="min-w-0 font-semibold">
          <UntrustedText text={name} line />
        </span>
      )}
      {failed && <Badge tone="bad">refused or failed</Badge>}
    </span>
  );
}

/** Which fields a request gave; their values are not recorded. */
function fieldsIn(details: unknown): readonly string[] {
  const { keys } = (details ?? {}) as { keys?: unknown };
  return Array.isArray(keys) ? keys.map(String) : [];
}
