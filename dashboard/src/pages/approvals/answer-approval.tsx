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
import { ruleInWords } from "../rules/rule-words.ts";
import { takes } from "./question-words.ts";

const CHANGES = ["/questions", "/rules"];

/** A yes, and for how long it counts. */
interface Yes extends AnswerInput {
  readonly answer: "once" | "conversation" | "always";
}

/** The four answers to an approval, once there was time to see what is asked. */
export function AnswerApproval({
  review: { question, calls },
  after,
}: {
  review: QuestionReview;
  after: string;
}) {
  const isAdmin = useHasRole("admin");
  const [rejecting, setRejecting] = useState(false);
  const [choosing, setChoosing] = useState(false);
  const notYet = !useIsSettled();
  const approve = useAction({
    run: (client, yes: Yes) => client.post(joinPath("questions", question.id, "answer"), yes),
    successMessage: (_, { answer }) => DONE[answer],
    invalidates: CHANGES,
  });
  const say = async (yes: Yes) => {
    if (approve.isBusy || notYet) return;
    if ((await approve.run(yes)) !== undefined) navigate(after);
  };
  const mayAgree = useHasRole(question.wants);
  const once = mayAgree ? () => void say({ answer: "once" }) : undefined;
  const forConversation =
    mayAgree && takes(question, "conversation") ? () => void say({ answer: "conversation" }) : undefined;
  // A client that names no conversation has one for everything.
  const isWholeToken = question.details.wholeToken === true;
  const always = isAdmin && takes(question, "always") ? () => setChoosing(true) : undefined;
  useKeys({
    o: once,
    c: forConversation,
    a: notYet ? undefined : always,
    r: notYet ? undefined : () => setRejecting(true),
  });
  if (rejecting) return <Reject id={question.id} after={after} cancel={() => setRejecting(false)} />;
  return (
    <>
      <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
        {once ? (
          <Button
            look="primary"
            icon="check"
            busy={approve.isBusy}
            notReady={notYet}
            onClick={once}
            title="Key o"
          >
            Allow once
          </Button>
        ) : (
          <p className="col-span-2 self-center">Only an admin may say yes to this.</p>
        )}
        {forConversation && (
          <Button
            busy={approve.isBusy}
            notReady={notYet}
            onClick={forConversation}
            title={`Key c: this tool, in ${isWholeToken ? "all calls with this token" : "this conversation"}`}
          >
            {isWholeToken ? "All calls with this token" : "This conversation"}
          </Button>
        )}
        {always && (
          <Button busy={approve.isBusy} notReady={notYet} onClick={always} title="Key a: writes a rule">
            Always …
          </Button>
        )}
        <Button
          look="danger"
          icon="close"
          busy={approve.isBusy}
          notReady={notYet}
          onClick={() => setRejecting(true)}
          title="Key r"
        >
          Reject
        </Button>
      </div>
      {choosing && (
        <AlwaysDialog
          agent={question.agent}
          rules={
            calls.length === 1
              ? calls[0]!.rules.toReversed()
              : calls.flatMap(({ rules }) => rules.slice(0, 1))
          }
          isBatch={calls.length > 1}
          busy={approve.isBusy}
          onClose={() => setChoosing(false)}
          onChoose={(rule) => void say({ answer: "always", ...(rule?.pattern && { pattern: rule.pattern }) })}
        />
      )}
    </>
  );
}

const DONE: Readonly<Record<Yes["answer"], string>> = {
  once: "Allowed once",
  conversation: "Allowed for this conversation",
  always: "Allowed from now on: a rule was written",
};

function Reject({ id, after, cancel }: { id: string; after: string; cancel: () => void }) {
  const [reason, setReason, forget] = useDraft(`reject.${id}`, "");
  const form = useRef<HTMLFormElement>(null);
  const reject = useAction({
    run: (client) =>
      client.post(joinPath("questions", id, "answer"), {
        answer: "reject",
        ...(reason !== "" && { reason }),
      } satisfies AnswerInput),
    successMessage: "Rejected; the agent is told",
    invalidates: CHANGES,
    quiet: true,
  });
  const send = async () => {
    if ((await reject.run()) === undefined) return;
    forget();
    navigate(after);
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
      <Field
        label="Why not? The agent is told."
        hint="May be left empty. The same call is then refused for a while."
      >
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
              cancel();
            }}
          />
        )}
      </Field>
      <FormProblem problem={reject.problem} />
      <div className="flex gap-2">
        <Button onClick={cancel}>Back</Button>
        <Button look="danger" type="submit" busy={reject.isBusy}>
          Reject the call
        </Button>
      </div>
    </form>
  );
}

interface AlwaysProps {
  readonly agent: string;
  readonly rules: readonly RuleInput[];
  readonly isBatch: boolean;
  readonly busy: boolean;
  readonly onClose: () => void;
  readonly onChoose: (rule: RuleInput | undefined) => void;
}

/** Which rule an always would write, the narrowest first and chosen: for such calls only, or for every call of the tool. */
function AlwaysDialog({ agent, rules, isBatch, busy, onClose, onChoose }: AlwaysProps) {
  const [chosen, setChosen] = useState(0);
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
            onClick={() => onChoose(isBatch ? undefined : rules[chosen])}
          >
            Write the rule and allow
          </Button>
        </>
      }
    >
      {rules.length === 0 ? (
        <p>No rule could let this call run: something stricter asks about it. Allow it once.</p>
      ) : isBatch ? (
        <>
          <p className="mb-2">These rules are written for the agent, until somebody removes them:</p>
          <ul className="list-disc pl-5">
            {rules.map((rule) => (
              <li key={rule.permission}>
                <UntrustedText text={ruleInWords({ ...rule, agent })} />
              </li>
            ))}
          </ul>
        </>
      ) : (
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-2">This rule is written, and counts until somebody removes it:</legend>
          {rules.map((rule, index) => (
            <label
              key={JSON.stringify(rule)}
              className="flex items-start gap-2 rounded-md border border-line p-2 has-checked:border-accent has-checked:bg-selected"
            >
              <input
                type="radio"
                name="rule"
                className="mt-0.5 size-4 accent-accent-fill"
                checked={index === chosen}
                onChange={() => setChosen(index)}
              />
              <UntrustedText text={ruleInWords({ ...rule, agent })} />
            </label>
          ))}
        </fieldset>
      )}
    </Dialog>
  );
}
