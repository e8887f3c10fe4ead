import { useRef, useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { AnswerInput, QuestionReview, RuleInput } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { navigate } from "../../app/location.ts";
import { useHasRole } from "../../app/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, FormProblem, TextInput } from "../../ui/form.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { useIsSettled } from "../../ui/use-is-settled.ts";
import { useKeys } from "../../ui/use-keys.ts";
import { describeRule } from "../rules/rule-labels.ts";
import { acceptsAnswer } from "./question-labels.ts";

const INVALIDATES = ["/questions", "/rules"];

/** An approval, and how long it applies. */
interface ApprovalAnswer extends AnswerInput {
  readonly answer: "once" | "conversation" | "always";
}

/** The four answers to an approval. The buttons stay inactive until the question has been visible for a moment. */
export function AnswerApproval({
  review: { question, calls },
  nextUrl,
}: {
  review: QuestionReview;
  nextUrl: string;
}) {
  const isAdmin = useHasRole("admin");
  const [isRejecting, setIsRejecting] = useState(false);
  const [isChoosingRule, setIsChoosingRule] = useState(false);
  const isNotReady = !useIsSettled();
  const approve = useAction({
    run: (client, answer: ApprovalAnswer) =>
      client.post(joinPath("questions", question.id, "answer"), answer),
    successMessage: (_, { answer }) => SUCCESS_MESSAGES[answer],
    invalidates: INVALIDATES,
  });
  const submit = async (answer: ApprovalAnswer) => {
    if (approve.isBusy || isNotReady) return;
    if ((await approve.run(answer)) !== undefined) navigate(nextUrl);
  };
  const canApprove = useHasRole(question.wants);
  const allowOnce = canApprove ? () => void submit({ answer: "once" }) : undefined;
  const allowInConversation =
    canApprove && acceptsAnswer(question, "conversation")
      ? () => void submit({ answer: "conversation" })
      : undefined;
  // A client that names no conversation uses one for all its calls.
  const isWholeToken = question.details.wholeToken === true;
  const chooseRule = isAdmin && acceptsAnswer(question, "always") ? () => setIsChoosingRule(true) : undefined;
  useKeys({
    o: allowOnce,
    c: allowInConversation,
    a: isNotReady ? undefined : chooseRule,
    r: isNotReady ? undefined : () => setIsRejecting(true),
  });
  if (isRejecting)
    return <RejectForm id={question.id} nextUrl={nextUrl} onCancel={() => setIsRejecting(false)} />;
  return (
    <>
      <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
        {allowOnce ? (
          <Button
            look="primary"
            icon="check"
            busy={approve.isBusy}
            notReady={isNotReady}
            onClick={allowOnce}
            title="Shortcut: o"
          >
            Allow once
          </Button>
        ) : (
          <p className="col-span-2 self-center">Only an admin can approve this call.</p>
        )}
        {allowInConversation && (
          <Button
            busy={approve.isBusy}
            notReady={isNotReady}
            onClick={allowInConversation}
            title={`Shortcut: c. Allows this tool for ${isWholeToken ? "every call with this token" : "the rest of this conversation"}.`}
          >
            {isWholeToken ? "Allow for this token" : "Allow in this conversation"}
          </Button>
        )}
        {chooseRule && (
          <Button
            busy={approve.isBusy}
            notReady={isNotReady}
            onClick={chooseRule}
            title="Shortcut: a. Adds a rule."
          >
            Always allow…
          </Button>
        )}
        <Button
          look="danger"
          icon="close"
          busy={approve.isBusy}
          notReady={isNotReady}
          onClick={() => setIsRejecting(true)}
          title="Shortcut: r"
        >
          Reject
        </Button>
      </div>
      {isChoosingRule && (
        <AlwaysDialog
          agent={question.agent}
          rules={
            calls.length === 1
              ? calls[0]!.rules.toReversed()
              : calls.flatMap(({ rules }) => rules.slice(0, 1))
          }
          isBatch={calls.length > 1}
          busy={approve.isBusy}
          onClose={() => setIsChoosingRule(false)}
          onChoose={(rule) =>
            void submit({ answer: "always", ...(rule?.pattern && { pattern: rule.pattern }) })
          }
        />
      )}
    </>
  );
}

const SUCCESS_MESSAGES: Readonly<Record<ApprovalAnswer["answer"], string>> = {
  once: "Allowed once",
  conversation: "Allowed in this conversation",
  always: "Allowed from now on by a new rule",
};

function RejectForm({ id, nextUrl, onCancel }: { id: string; nextUrl: string; onCancel: () => void }) {
  const [reason, setReason, clearDraft] = useDraft(`reject.${id}`, "");
  const form = useRef<HTMLFormElement>(null);
  const reject = useAction({
    run: (client) =>
      client.post(joinPath("questions", id, "answer"), {
        answer: "reject",
        ...(reason !== "" && { reason }),
      } satisfies AnswerInput),
    successMessage: "Rejected. The agent has been told.",
    invalidates: INVALIDATES,
    quiet: true,
  });
  const send = async () => {
    if ((await reject.run()) === undefined) return;
    clearDraft();
    navigate(nextUrl);
  };
  return (
    <form
      ref={form}
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Field label="Reason" hint="Optional; the agent sees it. The same call is refused for a while.">
        {(inputProps) => (
          <TextInput
            {...inputProps}
            autoFocus
            maxLength={1_000}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              event.preventDefault();
              onCancel();
            }}
          />
        )}
      </Field>
      <FormProblem problem={reject.problem} />
      <div className="flex gap-2">
        <Button onClick={onCancel}>Back</Button>
        <Button look="danger" type="submit" busy={reject.isBusy}>
          Reject call
        </Button>
      </div>
    </form>
  );
}

interface AlwaysDialogProps {
  readonly agent: string;
  readonly rules: readonly RuleInput[];
  readonly isBatch: boolean;
  readonly busy: boolean;
  readonly onClose: () => void;
  readonly onChoose: (rule: RuleInput | undefined) => void;
}

/** Offers the rules that would always allow the call, narrowest first and preselected: from calls like this one to every call of the tool. */
function AlwaysDialog({ agent, rules, isBatch, busy, onClose, onChoose }: AlwaysDialogProps) {
  const [selectedIndex, setSelectedIndex] = useState(0);
  return (
    <Dialog
      title="Always allow this?"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            busy={busy}
            disabled={rules.length === 0}
            onClick={() => onChoose(isBatch ? undefined : rules[selectedIndex])}
          >
            Add rule and allow
          </Button>
        </>
      }
    >
      {rules.length === 0 ? (
        <p>No rule can allow this call, because a stricter rule asks about it. Allow it once instead.</p>
      ) : isBatch ? (
        <>
          <p className="mb-2">This adds these rules for the agent. They apply until you remove them.</p>
          <ul className="list-disc pl-5">
            {rules.map((rule) => (
              <li key={rule.permission}>
                <UntrustedText text={describeRule({ ...rule, agent })} />
              </li>
            ))}
          </ul>
        </>
      ) : (
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-2">Choose the rule to add. It applies until you remove it.</legend>
          {rules.map((rule, index) => (
            <label
              key={JSON.stringify(rule)}
              className="flex items-start gap-2 rounded-md border border-line p-2 has-checked:border-accent has-checked:bg-selected"
            >
              <input
                type="radio"
                name="rule"
                className="mt-0.5 size-4 accent-accent-fill"
                checked={index === selectedIndex}
                onChange={() => setSelectedIndex(index)}
              />
              <UntrustedText text={describeRule({ ...rule, agent })} />
            </label>
          ))}
        </fieldset>
      )}
    </Dialog>
  );
}
