import { joinPath } from "../../api/client.ts";
import type { QuestionList, QuestionView } from "../../api/contract.ts";
import { useGet, usePages } from "../../api/use-api.ts";
import { NotifyMeButton } from "../../app/desktop-notifications.tsx";
import { navigate, urlWith } from "../../app/location.ts";
import type { PageProps } from "../../app/routes.ts";
import { Badge, StateMark } from "../../ui/badge.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { TextLink } from "../../ui/link.tsx";
import { Page as PageFrame } from "../../ui/page.tsx";
import { EmptyState, QueryView } from "../../ui/states.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Time, useNow } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { useKeys } from "../../ui/use-keys.ts";
import { describeDecision, formatSubject, formatSummary, KIND_LABELS } from "./question-labels.ts";
import { QuestionPanel } from "./question-panel.tsx";

const PAGE_SIZE = 200;

/** Calls and questions that wait for a person, and the decisions so far. */
export function Page({ params: { id } }: PageProps) {
  const view = useTab("view", ["waiting", "decided"]);
  const pendingQuery = useGet<QuestionList>("/questions", { params: { state: "pending" } });
  const decidedQuery = usePages<QuestionList>(
    view === "decided" ? "/questions" : undefined,
    { state: "settled", limit: PAGE_SIZE },
    ({ next }) => (next === null ? undefined : { cursor: next }),
  );
  const now = useNow();
  const pending = pendingQuery.data?.questions.filter(({ expiresAt }) => expiresAt > now - 15_000) ?? [];
  const rows =
    view === "waiting"
      ? pending
      : (decidedQuery.data?.pages.flatMap(({ questions }) => questions.toReversed()) ?? []);
  const selectedIndex = rows.findIndex((question) => question.id === id);
  const openRow = (index: number) => {
    const question = rows[Math.min(rows.length - 1, Math.max(0, index))];
    if (question) navigate(questionUrl(question.id));
  };
  useKeys({ j: () => openRow(selectedIndex + 1), k: () => openRow(selectedIndex - 1) });
  /** Opens after the current question is answered. */
  const next = pending.find((question) => question.id !== id);
  return (
    <PageFrame
      title="Approvals"
      description="Calls and questions that wait for your decision."
      actions={<NotifyMeButton />}
      panel={
        id !== undefined && (
          <QuestionPanel
            key={id}
            id={id}
            closeTo={questionUrl("")}
            nextUrl={next ? questionUrl(next.id) : questionUrl("")}
          />
        )
      }
    >
      <Tabs
        name="view"
        label="Approvals"
        tabs={[
          { id: "waiting", label: "Pending", count: pending.length },
          { id: "decided", label: "Decided" },
        ]}
      />
      <QueryView<unknown> query={view === "waiting" ? pendingQuery : decidedQuery}>
        {() => (
          <DataTable
            label={view === "waiting" ? "Pending" : "Decided"}
            rows={rows}
            columns={selectColumns(view, id !== undefined)}
            rowKey={(question) => question.id}
            rowLink={(question) => questionUrl(question.id)}
            selected={id}
            rowHeight={52}
            pageHandlesKeys
            {...(view === "decided" && {
              more: {
                hasMore: decidedQuery.hasNextPage,
                isLoading: decidedQuery.isFetchingNextPage,
                load: () => void decidedQuery.fetchNextPage(),
              },
            })}
            empty={
              view === "waiting" ? (
                <NothingPending />
              ) : (
                <EmptyState title="No decisions yet">
                  Calls and questions you answer are listed here.
                </EmptyState>
              )
            }
          />
        )}
      </QueryView>
    </PageFrame>
  );
}

function questionUrl(id: string): string {
  return urlWith({}, id === "" ? "/approvals" : joinPath("approvals", id));
}

function NothingPending() {
  return (
    <EmptyState title="All caught up">
      Calls that need your approval and questions from agents appear here. To change which calls need
      approval, edit your <TextLink to="/rules">rules</TextLink>.
    </EmptyState>
  );
}

const subjectColumn: Column<QuestionView> = {
  id: "subject",
  header: "Request",
  width: "minmax(0,2.4fr)",
  cell: (question) => (
    <span className="block leading-snug">
      <UntrustedText text={formatSubject(question)} line mono={question.kind !== "human"} />
      <span data-clip="" className="block truncate text-xs font-normal text-soft">
        <UntrustedText text={formatSummary(question)} line mono max={200} />
      </span>
    </span>
  ),
};
const agentColumn: Column<QuestionView> = {
  id: "agent",
  header: "Agent",
  width: "minmax(5rem,0.8fr)",
  showOnPhone: true,
  cell: ({ agent: name }) => <UntrustedText text={name} line />,
};
const kindColumn: Column<QuestionView> = {
  id: "kind",
  header: "Type",
  width: "8rem",
  cell: (question) => (
    <Badge tone={question.kind === "approval" ? "warn" : "accent"}>{KIND_LABELS[question.kind]}</Badge>
  ),
};

const PENDING_COLUMNS: readonly Column<QuestionView>[] = [
  subjectColumn,
  agentColumn,
  kindColumn,
  {
    id: "asked",
    header: "Asked",
    width: "6.5rem",
    showOnPhone: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
  { id: "expires", header: "Expires", width: "6.5rem", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
];

/** Beside an open panel only the most telling columns fit. */
function selectColumns(view: "waiting" | "decided", isNarrow: boolean): readonly Column<QuestionView>[] {
  const columns = view === "waiting" ? PENDING_COLUMNS : DECIDED_COLUMNS;
  return isNarrow ? columns.filter(({ id, showOnPhone }) => id === "subject" || showOnPhone) : columns;
}

const DECIDED_COLUMNS: readonly Column<QuestionView>[] = [
  subjectColumn,
  agentColumn,
  {
    id: "how",
    header: "Decision",
    width: "12rem",
    showOnPhone: true,
    cell: (question) => <Decision question={question} />,
  },
  {
    id: "by",
    header: "By",
    width: "minmax(5rem,0.8fr)",
    cell: ({ settlement }) => settlement && <UntrustedText text={settlement.by} line />,
  },
  {
    id: "when",
    header: "When",
    width: "6.5rem",
    cell: ({ answeredAt, expiresAt }) => <Time at={answeredAt ?? expiresAt} />,
  },
];

function Decision({ question }: { question: QuestionView }) {
  const [label, tone] = describeDecision(question, useNow());
  return <StateMark tone={tone}>{label}</StateMark>;
}
