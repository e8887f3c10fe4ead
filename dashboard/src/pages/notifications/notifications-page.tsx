import { joinPath } from "../../api/client.ts";
import type { NotificationList, NotificationView, ServerList } from "../../api/contract.ts";
import { useAction, useGet, usePages } from "../../api/use-api.ts";
import { urlWith } from "../../app/location.ts";
import type { PageProps } from "../../app/routes.ts";
import { RequireRole } from "../../app/session.tsx";
import { StateMark, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { ButtonLink, TextLink } from "../../ui/link.tsx";
import { Page as PageFrame } from "../../ui/page.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { EmptyState, QueryView } from "../../ui/states.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";

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
      for (const each of ids) await client.post(joinPath("notifications", each, "dismiss"));
    },
    successMessage: "Dismissed",
    invalidates: CHANGES,
  });
  const dismissable = rows.filter((each) => !each.undecided);
  const clear = async () => {
    const isSure = await confirm({
      title: `Dismiss ${dismissable.length} notifications?`,
      description: "They are kept under Dismissed for a while. What waits for a decision stays.",
      action: "Dismiss all",
    });
    if (isSure) await dismissAll.run(dismissable.map((each) => each.id));
  };
  return (
    <PageFrame
      title="Notifications"
      description="They stay until you dismiss them or decide what they are about."
      actions={
        view === "open" &&
        dismissable.length > 1 && (
          <RequireRole role="operator">
            <Button busy={dismissAll.isBusy} onClick={() => void clear()}>
              Dismiss all …
            </Button>
          </RequireRole>
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
      <QueryView query={pages}>
        {() => (
          <DataTable
            label="Notifications"
            rows={rows}
            columns={shown ? BESIDE_PANEL : COLUMNS}
            rowKey={(each) => each.id}
            rowLink={(each) => urlWith({}, joinPath("notifications", each.id))}
            selected={id}
            rowHeight={52}
            more={{
              hasMore: pages.hasNextPage,
              isLoading: pages.isFetchingNextPage,
              load: () => void pages.fetchNextPage(),
            }}
            empty={
              <EmptyState title={view === "open" ? "Nothing new" : "Nothing was dismissed lately"}>
                {view === "open" && "Agents leave word here, and so does Toolkeep where a server needs you."}
              </EmptyState>
            }
          />
        )}
      </QueryView>
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
    run: (client) => client.post(joinPath("notifications", id, "dismiss")),
    successMessage: "Dismissed",
    invalidates: CHANGES,
  });
  return (
    <SidePanel
      title={<UntrustedText text={title} line />}
      closeTo={urlWith({}, "/notifications")}
      footer={
        dismissedAt === null && (
          <div className="flex flex-wrap gap-2">
            {server !== undefined && (
              <ButtonLink look="primary" to={decidedAt(id, server)}>
                {decisionOf(id)}
              </ButtonLink>
            )}
            {!undecided && (
              <RequireRole role="operator">
                <Button icon="check" busy={dismiss.isBusy} onClick={() => void dismiss.run()}>
                  Dismiss
                </Button>
              </RequireRole>
            )}
          </div>
        )
      }
    >
      <PanelSection>
        <p className="mb-3 text-base font-medium">
          <UntrustedText text={title} />
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
                <TextLink key="agent" to={joinPath("agents", agent)}>
                  <UntrustedText text={agent} />
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
          <UntrustedText text={body} max={5_000} />
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
  const page = joinPath("servers", server);
  return id.startsWith("ntf_changes_") ? `${page}?tab=changes` : page;
}

const COLUMNS: readonly Column<NotificationView>[] = [
  {
    id: "title",
    header: "What",
    width: "minmax(0,3fr)",
    cell: ({ title, body }) => (
      <span className="block leading-snug">
        <UntrustedText text={title} line />
        <span className="block truncate text-xs font-normal text-soft">
          <UntrustedText text={body} line max={200} />
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
    cell: ({ agent }) => (agent === null ? "Toolkeep" : <UntrustedText text={agent} line />),
  },
  {
    id: "when",
    header: "When",
    width: "6.5rem",
    showOnPhone: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
];

const BESIDE_PANEL = COLUMNS.filter(({ id, showOnPhone }) => id === "title" || showOnPhone);
