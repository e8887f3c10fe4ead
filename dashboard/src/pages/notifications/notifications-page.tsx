import { pathOf } from "../../api/client.ts";
import type { NotificationList, NotificationView, ServerList } from "../../api/contract.ts";
import { useAction, useGet, usePages } from "../../api/use-api.ts";
import { here } from "../../app/location.ts";
import type { PageProps } from "../../app/routes.ts";
import { For } from "../../app/session.tsx";
import { StateMark, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { ButtonLink, TextLink } from "../../ui/link.tsx";
import { Page as PageFrame } from "../../ui/page.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";

const LEVELS: Readonly<Record<NotificationView["level"], readonly [string, Tone]>> = {
  info: ["For your information", "neutral"],
  warning: ["Needs a look", "warn"],
  error: ["Went wrong", "bad"],
};

const PAGE = 200;
const CHANGES = ["/notifications", "/status"];

/** What people should know; it stays until somebody dismisses it, or decides what it is about. */
export function Page({ params: { id } }: PageProps) {
  const view = useTab("view", ["open", "dismissed"]);
  const open = useNotifications("open", true);
  const isOpen = open.rows.some((each) => each.id === id);
  const dismissed = useNotifications("dismissed", view === "dismissed" || (id !== undefined && !isOpen));
  const confirm = useConfirm();
  const { pages, rows } = view === "open" ? open : dismissed;
  const shown = [...open.rows, ...dismissed.rows].find((each) => each.id === id);
  const dismissAll = useAction({
    run: async (client, ids: readonly string[]) => {
      for (const each of ids) await client.post(pathOf("notifications", each, "dismiss"));
    },
    done: "Dismissed",
    changes: CHANGES,
  });
  const dismissable = rows.filter((each) => !each.undecided);
  const clear = async () => {
    const isSure = await confirm({
      title: `Dismiss ${dismissable.length} notifications?`,
      what: "They are kept under Dismissed for a while. What waits for a decision stays.",
      action: "Dismiss all",
    });
    if (isSure) await dismissAll.run(dismissable.map((each) => each.id));
  };
  return (
    <PageFrame
      title="Notifications"
      about="They stay until you dismiss them or decide what they are about."
      actions={
        view === "open" &&
        dismissable.length > 1 && (
          <For role="operator">
            <Button busy={dismissAll.busy} onClick={() => void clear()}>
              Dismiss all …
            </Button>
          </For>
        )
      }
      panel={shown && <NotificationPanel key={shown.id} notification={shown} />}
    >
      <Tabs
        name="view"
        label="Notifications"
        tabs={[
          { id: "open", label: "Open", count: view === "open" ? rows.length : 0 },
          { id: "dismissed", label: "Dismissed" },
        ]}
      />
      {id !== undefined && open.pages.data && dismissed.pages.data && !shown && (
        <p role="alert" className="border-b border-line bg-warn-soft px-4 py-2">
          There is no such notification among the newest; those that were dismissed are kept for a while only.
        </p>
      )}
      <Loaded query={pages}>
        {() => (
          <DataTable
            label="Notifications"
            rows={rows}
            columns={shown ? BESIDE_PANEL : COLUMNS}
            rowKey={(each) => each.id}
            rowLink={(each) => here({}, pathOf("notifications", each.id))}
            selected={id}
            rowHeight={52}
            more={{
              has: pages.hasNextPage,
              loading: pages.isFetchingNextPage,
              load: () => void pages.fetchNextPage(),
            }}
            empty={
              <Empty title={view === "open" ? "Nothing new" : "Nothing was dismissed lately"}>
                {view === "open" && "Agents leave word here, and so does Toolkeep where a server needs you."}
              </Empty>
            }
          />
        )}
      </Loaded>
    </PageFrame>
  );
}

/** Newest first, page by page. */
function useNotifications(state: "open" | "dismissed", isWanted: boolean) {
  const pages = usePages<NotificationList>(
    isWanted ? "/notifications" : undefined,
    { state, limit: PAGE },
    ({ next }) => (next === null ? undefined : { cursor: next }),
  );
  const rows = pages.data?.pages.flatMap(({ notifications }) => notifications.toReversed()) ?? [];
  return { pages, rows };
}

function NotificationPanel({ notification }: { notification: NotificationView }) {
  const { id, level, title, body, agent, createdAt, dismissedAt, undecided } = notification;
  const [words, tone] = LEVELS[level];
  const server = useServerOf(id);
  const dismiss = useAction({
    run: (client) => client.post(pathOf("notifications", id, "dismiss")),
    done: "Dismissed",
    changes: CHANGES,
  });
  return (
    <SidePanel
      title={<Untrusted text={title} line />}
      back={here({}, "/notifications")}
      footer={
        dismissedAt === null && (
          <div className="flex flex-wrap gap-2">
            {server !== undefined && (
              <ButtonLink look="primary" to={decidedAt(id, server)}>
                {decisionOf(id)}
              </ButtonLink>
            )}
            {!undecided && (
              <For role="operator">
                <Button icon="check" busy={dismiss.busy} onClick={() => void dismiss.run()}>
                  Dismiss
                </Button>
              </For>
            )}
          </div>
        )
      }
    >
      <PanelSection>
        <p className="mb-3 text-base font-medium">
          <Untrusted text={title} />
        </p>
        <KeyValues
          pairs={[
            [
              "Kind",
              <StateMark key="level" tone={tone}>
                {words}
              </StateMark>,
            ],
            [
              "From",
              agent === null ? (
                "Toolkeep"
              ) : (
                <TextLink key="agent" to={pathOf("agents", agent)}>
                  <Untrusted text={agent} />
                </TextLink>
              ),
            ],
            ["When", <Time key="when" at={createdAt} />],
            ["Dismissed", dismissedAt !== null && <Time key="dismissed" at={dismissedAt} />],
          ]}
        />
      </PanelSection>
      {body !== "" && (
        <PanelSection title="What it says">
          <Untrusted text={body} max={5_000} />
        </PanelSection>
      )}
    </SidePanel>
  );
}

/** What Toolkeep says of a server has the id of that server in its own. */
function useServerOf(id: string): string | undefined {
  const servers = useGet<ServerList>(id.includes("_srv_") ? "/servers" : undefined).data?.servers;
  return servers?.find((server) => id.includes(server.id))?.name;
}

/** What a notification of a server asks of people, by how its id begins. */
function decisionOf(id: string): string {
  if (id.startsWith("ntf_approve_")) return "Approve or reject it";
  if (id.startsWith("ntf_changes_")) return "Accept or reject it";
  return id.startsWith("ntf_auth_") ? "Sign in" : "Look at the server";
}

function decidedAt(id: string, server: string): string {
  const page = pathOf("servers", server);
  return id.startsWith("ntf_changes_") ? `${page}?tab=changes` : page;
}

const COLUMNS: readonly Column<NotificationView>[] = [
  {
    id: "title",
    header: "What",
    width: "minmax(0,3fr)",
    cell: ({ title, body }) => (
      <span className="block leading-snug">
        <Untrusted text={title} line />
        <span className="block truncate text-xs font-normal text-soft">
          <Untrusted text={body} line max={200} />
        </span>
      </span>
    ),
  },
  {
    id: "level",
    header: "Kind",
    width: "11rem",
    cell: ({ level }) => <StateMark tone={LEVELS[level][1]}>{LEVELS[level][0]}</StateMark>,
  },
  {
    id: "from",
    header: "From",
    width: "8rem",
    cell: ({ agent }) => (agent === null ? "Toolkeep" : <Untrusted text={agent} line />),
  },
  {
    id: "when",
    header: "When",
    width: "6.5rem",
    phone: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
];

const BESIDE_PANEL = COLUMNS.filter(({ id, phone }) => id === "title" || phone);
