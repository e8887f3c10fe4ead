import type { ActionPage, ActionView } from "../../api/contract.ts";
import { usePages } from "../../api/use-api.ts";
import { here, useUrlState } from "../../app/location.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Json } from "../../ui/code.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FilterBar, FilterSelect } from "../../ui/filter-bar.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";

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
    <Loaded query={pages}>
      {({ pages: read }) => {
        const rows = read.flatMap(({ actions }) => actions);
        const shown = rows.find((action) => keyOf(action) === open);
        return (
          <>
            <FilterBar shown={`${rows.length}${pages.hasNextPage ? "+" : ""} entries`}>
              <FilterSelect name="kind" label="What" options={KINDS} />
              {actor !== "" && (
                <span className="inline-flex items-center">
                  <Badge tone="accent">
                    by <Untrusted text={actor} line />
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
              rowLink={(action) => here({ entry: keyOf(action) })}
              selected={open || undefined}
              more={{
                has: pages.hasNextPage,
                loading: pages.isFetchingNextPage,
                load: () => void pages.fetchNextPage(),
              }}
              empty={<Empty title="Nothing fits" />}
            />
            {shown && <ActionDialog action={shown} onClose={() => setOpen("")} />}
          </>
        );
      }}
    </Loaded>
  );
}

function keyOf({ chain, seq }: ActionView): string {
  return `${chain}:${seq}`;
}

function ActionDialog({ action, onClose }: { action: ActionView; onClose: () => void }) {
  return (
    <Dialog title={action.kind} onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <KeyValues
        pairs={[
          ["When", <Time key="when" at={action.at} />],
          ["Who", action.actor === null ? "Toolkeep itself" : <Untrusted key="who" text={action.actor} />],
          ["To what", action.subject !== null && <Untrusted key="subject" text={action.subject} mono />],
          [
            "Place",
            <span key="place" className="font-mono text-xs">
              {keyOf(action)}
            </span>,
          ],
        ]}
      />
      <div className="mt-3">
        <Json value={action.details} label="Details" />
      </div>
    </Dialog>
  );
}

const COLUMNS: readonly Column<ActionView>[] = [
  {
    id: "kind",
    header: "What",
    width: "minmax(7rem,0.8fr)",
    cell: ({ kind }) => <span className="font-mono text-xs">{kind}</span>,
  },
  {
    id: "actor",
    header: "Who",
    width: "minmax(6rem,0.7fr)",
    phone: true,
    cell: ({ actor }) =>
      actor === null ? <span className="text-soft">Toolkeep</span> : <Untrusted text={actor} line />,
  },
  {
    id: "subject",
    header: "To what",
    width: "minmax(0,1.4fr)",
    cell: ({ subject }) => subject !== null && <Untrusted text={subject} line mono />,
  },
  {
    id: "details",
    header: "Details",
    width: "minmax(0,2fr)",
    cell: ({ details }) => (
      <span className="text-soft">
        <Untrusted text={JSON.stringify(details)} line mono max={200} />
      </span>
    ),
  },
  { id: "when", header: "When", width: "6.5rem", phone: true, cell: ({ at }) => <Time at={at} /> },
];
