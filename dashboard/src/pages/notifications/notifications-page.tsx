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

const LEVEL_LABELS: Readonly<Record<NotificationView["level"], readonly [string, Tone]>> = {
  info: ["Info", "neutral"],
  warning: ["Warning", "warn"],
  error: ["Error", "bad"],
};

const PAGE_SIZE = 200;
const INVALIDATES = ["/notifications", "/status"];

/** Messages for people. Each stays until a person dismisses it, or makes the decision it is about. */
export function Page({ params: { id } }: PageProps) {
  const view = useTab("view", ["open", "dismissed"]);
  const open = useNotifications("open", true);
  const isOpen = open.rows.some((each) => each.id === id);
  const dismissed = useNotifications("dismissed", view === "dismissed" || (id !== undefined && !isOpen));
  const confirm = useConfirm();
  const { pages, rows } = view === "open" ? open : dismissed;
  const selected = [...open.rows, ...dismissed.rows].find((each) => each.id === id);
  const dismissAll = useAction({
    run: async (client, ids: readonly string[]) => {
      for (const each of ids) await client.post(joinPath("notifications", each, "dismiss"));
    },
    successMessage: "Dismissed",
    invalidates: INVALIDATES,
  });
  const dismissable = rows.filter((each) => !each.undecided);
  const confirmDismissAll = async () => {
    const isConfirmed = await confirm({
      title: `Dismiss ${dismissable.length} notifications?`,
      description:
        "They move to Dismissed and are kept for a while. Notifications that need a decision stay open.",
      action: "Dismiss all",
    });
    if (isConfirmed) await dismissAll.run(dismissable.map((each) => each.id));
  };
  return (
    <PageFrame
      title="Notifications"
      description="Messages from agents and Toolkeep. They stay until you dismiss them."
      actions={
        view === "open" &&
        dismissable.length > 1 && (
          <RequireRole role="operator">
            <Button busy={dismissAll.isBusy} onClick={() => void confirmDismissAll()}>
              Dismiss all…
            </Button>
          </RequireRole>
        )
      }
      panel={selected && <NotificationPanel key={selected.id} notification={selected} />}
    >
      <Tabs
        name="view"
        label="Notifications"
        tabs={[
          { id: "open", label: "Open", count: view === "open" ? rows.length : 0 },
          { id: "dismissed", label: "Dismissed" },
        ]}
      />
      {id !== undefined && open.pages.data && dismissed.pages.data && !selected && (
        <p role="alert" className="border-b border-line bg-warn-soft px-4 py-2">
          This notification was not found. Dismissed notifications are kept for a limited time.
        </p>
      )}
      <QueryView query={pages}>
        {() => (
          <DataTable
            label="Notifications"
            rows={rows}
            columns={selected ? COLUMNS_BESIDE_PANEL : COLUMNS}
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
              <EmptyState title={view === "open" ? "No open notifications" : "No dismissed notifications"}>
                {view === "open"
                  ? "Agents post messages here, and Toolkeep tells you when a server needs you."
                  : "Notifications you dismiss are kept here for a while."}
              </EmptyState>
            }
          />
        )}
      </QueryView>
    </PageFrame>
  );
}

/** Newest first, in pages. */
function useNotifications(state: "open" | "dismissed", isEnabled: boolean) {
  const pages = usePages<NotificationList>(
    isEnabled ? "/notifications" : undefined,
    { state, limit: PAGE_SIZE },
    ({ next }) => (next === null ? undefined : { cursor: next }),
  );
  const rows = pages.data?.pages.flatMap(({ notifications }) => notifications.toReversed()) ?? [];
  return { pages, rows };
}

function NotificationPanel({ notification }: { notification: NotificationView }) {
  const { id, level, title, body, agent, createdAt, dismissedAt, undecided } = notification;
  const [label, tone] = LEVEL_LABELS[level];
  const server = useRelatedServer(id);
  const dismiss = useAction({
    run: (client) => client.post(joinPath("notifications", id, "dismiss")),
    successMessage: "Dismissed",
    invalidates: INVALIDATES,
  });
  return (
    <SidePanel
      title={<UntrustedText text={title} line />}
      closeTo={urlWith({}, "/notifications")}
      footer={
        dismissedAt === null && (
          <div className="flex flex-wrap gap-2">
            {server !== undefined && (
              <ButtonLink look="primary" to={actionUrl(id, server)}>
                {actionLabel(id)}
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
              "Level",
              <StateMark key="level" tone={tone}>
                {label}
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
        <PanelSection title="Message">
          <UntrustedText text={body} max={5_000} />
        </PanelSection>
      )}
    </SidePanel>
  );
}

/** The server that a notification is about. Toolkeep puts the server's id into the notification's id. */
function useRelatedServer(id: string): string | undefined {
  const servers = useGet<ServerList>(id.includes("_srv_") ? "/servers" : undefined).data?.servers;
  return servers?.find((server) => id.includes(server.id))?.name;
}

/** The button for a server notification. The prefix of its id says what it is about. */
function actionLabel(id: string): string {
  if (id.startsWith("ntf_approve_")) return "Review server";
  if (id.startsWith("ntf_changes_")) return "Review changes";
  return id.startsWith("ntf_auth_") ? "Sign in" : "View server";
}

function actionUrl(id: string, server: string): string {
  const page = joinPath("servers", server);
  return id.startsWith("ntf_changes_") ? `${page}?tab=changes` : page;
}

const COLUMNS: readonly Column<NotificationView>[] = [
  {
    id: "title",
    header: "Notification",
    width: "minmax(0,3fr)",
    cell: ({ title, body }) => (
      <span className="block leading-snug">
        <UntrustedText text={title} line />
        <span data-clip="" className="block truncate text-xs font-normal text-soft">
          <UntrustedText text={body} line max={200} />
        </span>
      </span>
    ),
  },
  {
    id: "level",
    header: "Level",
    width: "8rem",
    cell: ({ level }) => <StateMark tone={LEVEL_LABELS[level][1]}>{LEVEL_LABELS[level][0]}</StateMark>,
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

const COLUMNS_BESIDE_PANEL = COLUMNS.filter(({ id, showOnPhone }) => id === "title" || showOnPhone);
