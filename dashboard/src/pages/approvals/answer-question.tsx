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

const CHANGES = ["/questions", "/secrets", "/agents"];

/** Answers what is no approval: a question, a wish for a tool, a secret. */
export function AnswerQuestion({ question, after }: { question: QuestionView; after: string }) {
  const { id, kind, details } = question;
  const confirm = useConfirm();
  const mayAgree = useHasRole(question.wants);
  const notYet = !useIsSettled();
  const answer = useAction({
    run: (client, said: string) => client.post(joinPath("questions", id, "answer"), { answer: said }),
    successMessage: kind === "secret" ? "Stored in the vault" : "Answered",
    invalidates: CHANGES,
    quiet: true,
  });
  const dismiss = useAction({
    run: (client) => client.post(joinPath("questions", id, "dismiss")),
    successMessage: "Dismissed; the agent is told that nobody answers",
    invalidates: CHANGES,
  });
  const say = async (said: string) => {
    const done = (await answer.run(said)) !== undefined;
    if (done) navigate(after);
    return done;
  };
  const drop = async () => {
    const isSure = await confirm({
      title: "Dismiss this question?",
      description: "The agent is told that nobody will answer, and goes on without.",
      action: "Dismiss",
    });
    if (isSure && (await dismiss.run()) !== undefined) navigate(after);
  };
  const dismissButton = (
    <Button look="quiet" busy={dismiss.isBusy} onClick={() => void drop()}>
      Dismiss
    </Button>
  );
  return (
    <div className="flex flex-col gap-2">
      <FormProblem problem={answer.problem} />
      {kind === "access" ? (
        <div className="flex flex-wrap gap-2">
          {mayAgree ? (
            <Button
              look="primary"
              icon="check"
              busy={answer.isBusy}
              notReady={notYet}
              onClick={() => void say("grant")}
            >
              Give it the tool
            </Button>
          ) : (
            <p className="self-center">Only an admin may give it the tool.</p>
          )}
          <Button
            look="danger"
            icon="close"
            busy={answer.isBusy}
            notReady={notYet}
            onClick={() => void say("refuse")}
          >
            Refuse
          </Button>
        </div>
      ) : !mayAgree ? (
        <div className="flex flex-wrap gap-2">
          <p className="self-center">Only an admin may replace this secret.</p>
          {dismissButton}
        </div>
      ) : kind === "secret" ? (
        <SecretForm busy={answer.isBusy} send={say} dismiss={dismissButton} />
      ) : Array.isArray(details.choices) && details.choices.length > 0 ? (
        <div className="flex flex-wrap gap-2">
          {details.choices.map(String).map((choice) => (
            <Button key={choice} busy={answer.isBusy} notReady={notYet} onClick={() => void say(choice)}>
              <UntrustedText text={choice} line />
            </Button>
          ))}
          {dismissButton}
        </div>
      ) : (
        <TextForm id={id} busy={answer.isBusy} send={say} dismiss={dismissButton} />
      )}
    </div>
  );
}

interface FormProps {
  readonly busy: boolean;
  readonly send: (said: string) => Promise<boolean>;
  readonly dismiss: React.ReactNode;
}

function TextForm({ id, busy, send, dismiss }: FormProps & { id: string }) {
  const [text, setText, forget] = useDraft(`answer.${id}`, "");
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void send(text).then((done) => done && forget());
      }}
    >
      <Field label="Your answer">
        {(inputProps) => (
          <TextArea {...inputProps} rows={3} value={text} onChange={(event) => setText(event.target.value)} />
        )}
      </Field>
      <div className="flex gap-2">
        <Button look="primary" type="submit" busy={busy} disabled={text === ""}>
          Answer
        </Button>
        {dismiss}
      </div>
    </form>
  );
}

/** What is typed here is nowhere but in this field until it is sent. */
function SecretForm({ busy, send, dismiss }: FormProps) {
  const [value, setValue] = useState("");
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void send(value).then((done) => done && setValue(""));
      }}
    >
      <Field label="The value" hint="It goes to the vault, sealed. The agent learns only that it is there.">
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
          Store it
        </Button>
        {dismiss}
      </div>
    </form>
  );
}
