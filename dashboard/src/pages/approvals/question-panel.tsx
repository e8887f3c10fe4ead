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
import { describeDecision, KIND_LABELS } from "./question-labels.ts";
import { ReviewedCallSection } from "./reviewed-call.tsx";

interface QuestionPanelProps {
  readonly id: string;
  /** The URL to go to on close. */
  readonly closeTo: string;
  /** The URL to go to after an answer: the next question, or the list. */
  readonly nextUrl: string;
}

/** One question in full, with the buttons that answer it. */
export function QuestionPanel({ id, closeTo, nextUrl }: QuestionPanelProps) {
  const review = useGet<QuestionReview>(joinPath("questions", id));
  const question = review.data?.question;
  return (
    <SidePanel
      title={question ? KIND_LABELS[question.kind] : "Approval"}
      closeTo={closeTo}
      footer={review.data && !isGone(review.error) && <AnswerFooter review={review.data} nextUrl={nextUrl} />}
    >
      <QueryView query={review}>
        {({ question: loaded, calls }) => (
          <>
            <PanelSection>
              <p className="mb-3 text-base font-medium">
                <UntrustedText text={loaded.prompt} max={2_000} />
              </p>
              <Facts question={loaded} />
            </PanelSection>
            {calls.map((call, index) => (
              <ReviewedCallSection
                // biome-ignore lint/suspicious/noArrayIndexKey: the calls of a question never move
                key={index}
                call={call}
                title={calls.length > 1 ? `Call ${index + 1} of ${calls.length}` : "Call"}
              />
            ))}
            <RequestDetails question={loaded} />
          </>
        )}
      </QueryView>
    </SidePanel>
  );
}

function AnswerFooter({ review, nextUrl }: { review: QuestionReview; nextUrl: string }) {
  const canDecide = useHasRole("operator");
  const now = useNow();
  const { question } = review;
  const [label, tone] = describeDecision(question, now);
  if (question.state !== "pending" || question.expiresAt <= Date.now())
    return (
      <p className="flex flex-wrap items-center gap-x-2">
        <StateMark tone={tone}>{label}</StateMark>
        {question.settlement && (
          <span className="text-soft">
            by <UntrustedText text={question.settlement.by} /> ({question.settlement.from}),{" "}
            <Time at={question.answeredAt} />
          </span>
        )}
      </p>
    );
  if (!canDecide) return <p className="text-soft">Only operators and admins can decide this.</p>;
  return question.kind === "approval" ? (
    <AnswerApproval key={question.id} review={review} nextUrl={nextUrl} />
  ) : (
    <AnswerQuestion key={question.id} question={question} nextUrl={nextUrl} />
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
          "Rules added",
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

/** The details of a request for a tool or a secret. */
function RequestDetails({ question: { kind, details } }: { question: QuestionView }) {
  const joinList = (value: unknown) => (Array.isArray(value) ? value.map(String).join(", ") : "");
  if (kind === "access")
    return (
      <PanelSection title="Tool">
        <KeyValues
          pairs={[
            [
              "Tool",
              <TextLink key="tool" to={joinPath("tools", String(details.tool))}>
                <UntrustedText text={String(details.tool)} mono />
              </TextLink>,
            ],
            ["Source", <UntrustedText key="origin" text={String(details.origin ?? "")} mono />],
            ["Its description", <UntrustedText key="says" text={String(details.description ?? "")} />],
            ["Reason", <UntrustedText key="why" text={String(details.reason ?? "")} max={1_000} />],
          ]}
        />
      </PanelSection>
    );
  if (kind === "secret")
    return (
      <PanelSection title="Secret">
        <KeyValues
          pairs={[
            ["Name", <UntrustedText key="name" text={String(details.name)} mono />],
            [
              "Tools",
              joinList(details.tools) && <UntrustedText key="tools" text={joinList(details.tools)} mono />,
            ],
            [
              "Hosts",
              joinList(details.hosts) && <UntrustedText key="hosts" text={joinList(details.hosts)} mono />,
            ],
          ]}
        />
      </PanelSection>
    );
  return null;
}
