import { type FormEvent, useId } from "react";
import type { NewToken, PersonView, TokenAnswer } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, FormProblem, Select, TextInput } from "../../ui/form.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { DAY_MS, EXPIRY_OPTIONS } from "../agents/new-token-dialog.tsx";
import { ROLE_OPTIONS, ROLES } from "./role-labels.ts";

interface Draft {
  readonly label: string;
  readonly role: PersonView["role"];
  /** "" for no expiry. */
  readonly days: string;
}

const EMPTY: Draft = { label: "", role: "viewer", days: "90" };

/** Creates a token for a program. Suggests the narrowest role and an expiry. */
export function NewAdminToken({
  onClose,
  onCreate,
}: {
  onClose: () => void;
  onCreate: (answer: TokenAnswer) => void;
}) {
  const form = useId();
  const [draft, setDraft, clearDraft] = useDraft<Draft>("admin-token", EMPTY);
  const { label, role, days } = draft;
  const create = useAction({
    run: (client, body: NewToken) => client.post<TokenAnswer>("/tokens", body),
    invalidates: ["/tokens"],
    quiet: true,
  });
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const result = await create.run({
      role,
      ...(label === "" ? {} : { label }),
      ...(days === "" ? {} : { expiresInMs: Number(days) * DAY_MS }),
    });
    if (!result) return;
    clearDraft();
    onCreate(result);
  };
  const close = () => {
    clearDraft();
    onClose();
  };
  return (
    <Dialog
      title="Create admin token"
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button look="primary" type="submit" form={form} busy={create.isBusy}>
            Create token
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={(event) => void send(event)} className="flex flex-col gap-3">
        <Field label="Label" hint="What will use it, such as the nightly backup">
          {(inputProps) => (
            <TextInput
              {...inputProps}
              maxLength={200}
              value={label}
              onChange={({ target }) => setDraft({ ...draft, label: target.value })}
            />
          )}
        </Field>
        <Field label="Role" hint={ROLES[role].description}>
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
