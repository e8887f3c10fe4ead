import { joinPath } from "../../api/client.ts";
import type { QuestionReview, QuestionView } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { useHasRole } from "../../app/session.tsx";
import { StateMark } from "../../ui/badge.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { TextLink } from "../../ui/link.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { isGone, QueryView } from "../../ui/states.tsx";
import { Time, useNow } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { AnswerApproval } from "./answer-approval.tsx";
import { AnswerQuestion } from "./answer-question.tsx";
import { decisionOf, KINDS } from "./question-words.ts";
import { ReviewedCallSection } from "./reviewed-call.tsx";

interface QuestionPanelProps {
  readonly id: string;
  /** Where closing leads, and where an answer does. */
  readonly back: string;
  readonly after: string;
}

/** Everything about one question, and the buttons that answer it. */
export function QuestionPanel({ id, back, after }: QuestionPanelProps) {
  const review = useGet<QuestionReview>(joinPath("questions", id));
  const question = review.data?.question;
  return (
    <SidePanel
      title={question ? KINDS[question.kind] : "Approval"}
      closeTo={back}
      footer={review.data && !isGone(review.error) && <Answer review={review.data} after={after} />}
    >
      <QueryView query={review}>
        {({ question: asked, calls }) => (
          <>
            <PanelSection>
              <p className="mb-3 text-base font-medium">
                <UntrustedText text={asked.prompt} max={2_000} />
              </p>
              <Facts question={asked} />
            </PanelSection>
            {calls.map((call, index) => (
              <ReviewedCallSection
                // biome-ignore lint/suspicious/noArrayIndexKey: the calls of a question never move
                key={index}
                call={call}
                place={calls.length > 1 ? `Call ${index + 1} of ${calls.length}` : "The call"}
              />
            ))}
            <Asked question={asked} />
          </>
        )}
      </QueryView>
    </SidePanel>
  );
}

function Answer({ review, after }: { review: QuestionReview; after: string }) {
  const may = useHasRole("operator");
  const now = useNow();
  const { question } = review;
  const [words, tone] = decisionOf(question, now);
  if (question.state !== "pending" || question.expiresAt <= Date.now())
    return (
      <p className="flex flex-wrap items-center gap-x-2">
        <StateMark tone={tone}>{words}</StateMark>
        {question.settlement && (
          <span className="text-soft">
            by <UntrustedText text={question.settlement.by} /> ({question.settlement.from}),{" "}
            <Time at={question.answeredAt} />
          </span>
        )}
      </p>
    );
  if (!may) return <p className="text-soft">An operator or an admin decides this; you may look.</p>;
  return question.kind === "approval" ? (
    <AnswerApproval key={question.id} review={review} after={after} />
  ) : (
    <AnswerQuestion key={question.id} question={question} after={after} />
  );
}

function Facts({ question }: { question: QuestionView }) {
  const { agent, createdAt, expiresAt, state, details, settlement, kind, answer } = question;
  const conversation = typeof details.conversation === "string" ? details.conversation : null;
  return (
    <KeyValues
      pairs={[
        [
          "Agent",
          <TextLink key="agent" to={joinPath("agents", agent)}>
            <UntrustedText text={agent} />
          </TextLink>,
        ],
        [
          "Conversation",
          conversation && (
            <TextLink key="conversation" to={`/audit?conversation=${encodeURIComponent(conversation)}`}>
              <UntrustedText text={conversation} mono />
            </TextLink>
          ),
        ],
        ["Asked", <Time key="asked" at={createdAt} />],
        ["Expires", state === "pending" && <Time key="expires" at={expiresAt} />],
        ["Reason", settlement?.reason && <UntrustedText key="reason" text={settlement.reason} />],
        [
          "Rules written",
          settlement?.ruleIds?.map((id) => (
            <TextLink key={id} to={joinPath("rules", id)}>
              <span className="font-mono text-xs">{id}</span>{" "}
            </TextLink>
          )),
        ],
        ["Answer", answer !== null && kind === "human" && <UntrustedText key="answer" text={answer} />],
      ]}
    />
  );
}

/** What other questions than approvals are about. */
function Asked({ question: { kind, details } }: { question: QuestionView }) {
  const list = (value: unknown) => (Array.isArray(value) ? value.map(String).join(", ") : "");
  if (kind === "access")
    return (
      <PanelSection title="The tool">
        <KeyValues
          pairs={[
            [
              "Tool",
              <TextLink key="tool" to={joinPath("tools", String(details.tool))}>
                <UntrustedText text={String(details.tool)} mono />
              </TextLink>,
            ],
            ["Comes from", <UntrustedText key="origin" text={String(details.origin ?? "")} mono />],
            ["Says of itself", <UntrustedText key="says" text={String(details.description ?? "")} />],
            ["Why", <UntrustedText key="why" text={String(details.reason ?? "")} max={1_000} />],
          ]}
        />
      </PanelSection>
    );
  if (kind === "secret")
    return (
      <PanelSection title="The secret">
        <KeyValues
          pairs={[
            ["Name", <UntrustedText key="name" text={String(details.name)} mono />],
            [
              "For the tools",
              list(details.tools) && <UntrustedText key="tools" text={list(details.tools)} mono />,
            ],
            [
              "At the hosts",
              list(details.hosts) && <UntrustedText key="hosts" text={list(details.hosts)} mono />,
            ],
          ]}
        />
      </PanelSection>
    );
  return null;
}
