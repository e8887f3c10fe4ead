import { useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { QuestionView } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { navigate } from "../../app/location.ts";
import { useHasRole } from "../../app/session.tsx";
import { Button } from "../../ui/button.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { Field, FormProblem, TextArea, TextInput } from "../../ui/form.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { useIsSettled } from "../../ui/use-is-settled.ts";

const INVALIDATES = ["/questions", "/secrets", "/agents"];

/** Answers every question that is not an approval: a plain question, a request for a tool, a request for a secret. */
export function AnswerQuestion({ question, nextUrl }: { question: QuestionView; nextUrl: string }) {
  const { id, kind, details } = question;
  const confirm = useConfirm();
  const canAnswer = useHasRole(question.wants);
  const isNotReady = !useIsSettled();
  const answer = useAction({
    run: (client, text: string) => client.post(joinPath("questions", id, "answer"), { answer: text }),
    successMessage: kind === "secret" ? "Saved to the vault" : "Answer sent",
    invalidates: INVALIDATES,
    quiet: true,
  });
  const dismiss = useAction({
    run: (client) => client.post(joinPath("questions", id, "dismiss")),
    successMessage: "Dismissed. The agent has been told.",
    invalidates: INVALIDATES,
  });
  const submit = async (text: string) => {
    const isDone = (await answer.run(text)) !== undefined;
    if (isDone) navigate(nextUrl);
    return isDone;
  };
  const confirmDismiss = async () => {
    const isConfirmed = await confirm({
      title: "Dismiss this question?",
      description: "The agent is told that nobody will answer and continues without one.",
      action: "Dismiss",
    });
    if (isConfirmed && (await dismiss.run()) !== undefined) navigate(nextUrl);
  };
  const dismissButton = (
    <Button look="quiet" busy={dismiss.isBusy} onClick={() => void confirmDismiss()}>
      Dismiss
    </Button>
  );
  return (
    <div className="flex flex-col gap-2">
      <FormProblem problem={answer.problem} />
      {kind === "access" ? (
        <div className="flex flex-wrap gap-2">
          {canAnswer ? (
            <Button
              look="primary"
              icon="check"
              busy={answer.isBusy}
              notReady={isNotReady}
              onClick={() => void submit("grant")}
            >
              Grant tool
            </Button>
          ) : (
            <p className="self-center">Only an admin can grant this tool.</p>
          )}
          <Button
            look="danger"
            icon="close"
            busy={answer.isBusy}
            notReady={isNotReady}
            onClick={() => void submit("refuse")}
          >
            Refuse
          </Button>
        </div>
      ) : !canAnswer ? (
        <div className="flex flex-wrap gap-2">
          <p className="self-center">Only an admin can replace this secret.</p>
          {dismissButton}
        </div>
      ) : kind === "secret" ? (
        <SecretForm busy={answer.isBusy} send={submit} dismiss={dismissButton} />
      ) : Array.isArray(details.choices) && details.choices.length > 0 ? (
        <div className="flex flex-wrap gap-2">
          {details.choices.map(String).map((choice) => (
            <Button
              key={choice}
              busy={answer.isBusy}
              notReady={isNotReady}
              onClick={() => void submit(choice)}
            >
              <UntrustedText text={choice} line />
            </Button>
          ))}
          {dismissButton}
        </div>
      ) : (
        <TextForm id={id} busy={answer.isBusy} send={submit} dismiss={dismissButton} />
      )}
    </div>
  );
}

interface AnswerFormProps {
  readonly busy: boolean;
  readonly send: (text: string) => Promise<boolean>;
  readonly dismiss: React.ReactNode;
}

function TextForm({ id, busy, send, dismiss }: AnswerFormProps & { id: string }) {
  const [text, setText, clearDraft] = useDraft(`answer.${id}`, "");
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void send(text).then((done) => done && clearDraft());
      }}
    >
      <Field label="Your answer">
        {(inputProps) => (
          <TextArea {...inputProps} rows={3} value={text} onChange={(event) => setText(event.target.value)} />
        )}
      </Field>
      <div className="flex gap-2">
        <Button look="primary" type="submit" busy={busy} disabled={text === ""}>
          Send answer
        </Button>
        {dismiss}
      </div>
    </form>
  );
}

/** Keeps the secret in component state only, never in a draft. */
function SecretForm({ busy, send, dismiss }: AnswerFormProps) {
  const [value, setValue] = useState("");
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void send(value).then((done) => done && setValue(""));
      }}
    >
      <Field label="Value" hint="Stored encrypted in the vault. The agent never sees the value.">
        {(inputProps) => (
          <TextInput
            {...inputProps}
            type="password"
            autoComplete="new-password"
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        )}
      </Field>
      <div className="flex gap-2">
        <Button look="primary" type="submit" busy={busy} disabled={value === ""}>
          Save secret
        </Button>
        {dismiss}
      </div>
    </form>
  );
}
