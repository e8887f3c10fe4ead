import { type FormEvent, useId } from "react";
import type { NewToken, PersonView, TokenAnswer } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, FormProblem, Select, TextInput } from "../../ui/form.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { DAY_MS, EXPIRY_OPTIONS } from "../agents/new-token-dialog.tsx";
import { ROLE_OPTIONS, ROLES } from "./role-words.ts";

interface Draft {
  readonly label: string;
  readonly role: PersonView["role"];
  /** "": it does not expire. */
  readonly days: string;
}

const NOTHING: Draft = { label: "", role: "viewer", days: "90" };

/** Makes a token for a program: the narrowest role and an end are suggested. */
export function NewAdminToken({
  onClose,
  onMade,
}: {
  onClose: () => void;
  onMade: (answer: TokenAnswer) => void;
}) {
  const form = useId();
  const [draft, setDraft, forget] = useDraft<Draft>("admin-token", NOTHING);
  const { label, role, days } = draft;
  const create = useAction({
    run: (client, body: NewToken) => client.post<TokenAnswer>("/tokens", body),
    invalidates: ["/tokens"],
    quiet: true,
  });
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const made = await create.run({
      role,
      ...(label === "" ? {} : { label }),
      ...(days === "" ? {} : { expiresInMs: Number(days) * DAY_MS }),
    });
    if (!made) return;
    forget();
    onMade(made);
  };
  const close = () => {
    forget();
    onClose();
  };
  return (
    <Dialog
      title="New admin token"
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button look="primary" type="submit" form={form} busy={create.isBusy}>
            Create the token
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={(event) => void send(event)} className="flex flex-col gap-3">
        <Field label="Label" hint="What will use it: the nightly backup">
          {(inputProps) => (
            <TextInput
              {...inputProps}
              maxLength={200}
              value={label}
              onChange={({ target }) => setDraft({ ...draft, label: target.value })}
            />
          )}
        </Field>
        <Field label="Role" hint={ROLES[role].may}>
          {(inputProps) => (
            <Select
              {...inputProps}
              options={ROLE_OPTIONS}
              value={role}
              onChange={({ target }) => setDraft({ ...draft, role: target.value as Draft["role"] })}
            />
          )}
        </Field>
        <Field label="Expires">
          {(inputProps) => (
            <Select
              {...inputProps}
              options={EXPIRY_OPTIONS}
              value={days}
              onChange={({ target }) => setDraft({ ...draft, days: target.value })}
            />
          )}
        </Field>
        <FormProblem problem={create.problem} />
      </form>
    </Dialog>
  );
}
