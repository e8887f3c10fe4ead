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
import { QuestionPanel } from "./question-panel.tsx";
import { decisionOf, KINDS, lineOf, subjectOf } from "./question-words.ts";

const PAGE = 200;

/** What agents wait for people to decide, and what was decided. */
export function Page({ params: { id } }: PageProps) {
  const view = useTab("view", ["waiting", "decided"]);
  const waiting = useGet<QuestionList>("/questions", { params: { state: "pending" } });
  const decided = usePages<QuestionList>(
    view === "decided" ? "/questions" : undefined,
    { state: "settled", limit: PAGE },
    ({ next }) => (next === null ? undefined : { cursor: next }),
  );
  const now = useNow();
  const pending = waiting.data?.questions.filter(({ expiresAt }) => expiresAt > now - 15_000) ?? [];
  const rows =
    view === "waiting"
      ? pending
      : (decided.data?.pages.flatMap(({ questions }) => questions.toReversed()) ?? []);
  const at = rows.findIndex((question) => question.id === id);
  const goTo = (index: number) => {
    const question = rows[Math.min(rows.length - 1, Math.max(0, index))];
    if (question) navigate(linkTo(question.id));
  };
  useKeys({ j: () => goTo(at + 1), k: () => goTo(at - 1) });
  /** What is left after one was answered. */
  const next = pending.find((question) => question.id !== id);
  return (
    <PageFrame
      title="Approvals"
      description="What agents may not do before you have seen it."
      actions={<NotifyMeButton />}
      panel={
        id !== undefined && (
          <QuestionPanel key={id} id={id} back={linkTo("")} after={next ? linkTo(next.id) : linkTo("")} />
        )
      }
    >
      <Tabs
        name="view"
        label="Approvals"
        tabs={[
          { id: "waiting", label: "Waiting", count: pending.length },
          { id: "decided", label: "Decided" },
        ]}
      />
      <QueryView<unknown> query={view === "waiting" ? waiting : decided}>
        {() => (
          <DataTable
            label={view === "waiting" ? "Waiting for you" : "Decided"}
            rows={rows}
            columns={columnsOf(view, id !== undefined)}
            rowKey={(question) => question.id}
            rowLink={(question) => linkTo(question.id)}
            selected={id}
            rowHeight={52}
            pageHandlesKeys
            {...(view === "decided" && {
              more: {
                hasMore: decided.hasNextPage,
                isLoading: decided.isFetchingNextPage,
                load: () => void decided.fetchNextPage(),
              },
            })}
            empty={view === "waiting" ? <NothingWaits /> : <EmptyState title="Nothing was decided yet" />}
          />
        )}
      </QueryView>
    </PageFrame>
  );
}

function linkTo(id: string): string {
  return urlWith({}, id === "" ? "/approvals" : joinPath("approvals", id));
}

function NothingWaits() {
  return (
    <EmptyState title="All caught up">
      Calls that a rule wants you to see first appear here as they are made, and so do questions of agents.
      Your <TextLink to="/rules">rules</TextLink> decide which calls.
    </EmptyState>
  );
}

const subject: Column<QuestionView> = {
  id: "subject",
  header: "What",
  width: "minmax(0,2.4fr)",
  cell: (question) => (
    <span className="block leading-snug">
      <UntrustedText text={subjectOf(question)} line mono={question.kind !== "human"} />
      <span className="block truncate text-xs font-normal text-soft">
        <UntrustedText text={lineOf(question)} line mono max={200} />
      </span>
    </span>
  ),
};
const agent: Column<QuestionView> = {
  id: "agent",
  header: "Agent",
  width: "minmax(5rem,0.8fr)",
  showOnPhone: true,
  cell: ({ agent: name }) => <UntrustedText text={name} line />,
};
const kind: Column<QuestionView> = {
  id: "kind",
  header: "Asks",
  width: "8rem",
  cell: (question) => (
    <Badge tone={question.kind === "approval" ? "warn" : "accent"}>{KINDS[question.kind]}</Badge>
  ),
};

const WAITING: readonly Column<QuestionView>[] = [
  subject,
  agent,
  kind,
  {
    id: "asked",
    header: "Asked",
    width: "6.5rem",
    showOnPhone: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
  { id: "expires", header: "Expires", width: "6.5rem", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
];

/** Beside an open panel there is room for what tells them apart only. */
function columnsOf(view: "waiting" | "decided", isNarrow: boolean): readonly Column<QuestionView>[] {
  const columns = view === "waiting" ? WAITING : DECIDED;
  return isNarrow ? columns.filter(({ id, showOnPhone }) => id === "subject" || showOnPhone) : columns;
}

const DECIDED: readonly Column<QuestionView>[] = [
  subject,
  agent,
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
  const [words, tone] = decisionOf(question, useNow());
  return <StateMark tone={tone}>{words}</StateMark>;
}
