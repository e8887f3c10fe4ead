import { type FormEvent, useId } from "react";
import type { NewToken, TokenAnswer } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Checkbox, Field, FormProblem, Select, TextInput } from "../../ui/form.tsx";
import { useDraft } from "../../ui/use-draft.ts";

export const DAY_MS = 86_400_000;
/** Days until a token expires; "" for never. */
export const EXPIRY_OPTIONS = [
  ["", "Never"],
  ["1", "After 1 day"],
  ["30", "After 30 days"],
  ["90", "After 90 days"],
  ["365", "After 1 year"],
] as const;

/** The scopes that a token can be limited to. */
const SCOPES = [
  ["mcp", "Tools of servers and plugins"],
  ["tools", "Built-in tools"],
  ["files", "Files"],
  ["shell", "Shell commands"],
  ["web", "Web"],
  ["human", "Asking people"],
  ["search", "Searching knowledge"],
  ["get", "Reading knowledge"],
  ["memory.read", "Reading memory"],
  ["memory.write", "Writing memory"],
  ["sync", "Syncing sources"],
  ["ingest", "Writing to the inbox"],
  ["admin", "Managing Toolkeep"],
] as const;

interface Draft {
  readonly label: string;
  /** "" for no expiry. */
  readonly days: string;
  /** Null for all scopes. */
  readonly scopes: readonly string[] | null;
  readonly interactive: boolean;
}

const EMPTY: Draft = { label: "", days: "", scopes: null, interactive: false };

export function NewTokenDialog({
  agent,
  onClose,
  onCreate,
}: {
  agent: string;
  onClose: () => void;
  onCreate: (answer: TokenAnswer) => void;
}) {
  const form = useId();
  const [draft, setDraft, clearDraft] = useDraft<Draft>(`token.${agent}`, EMPTY);
  const { label, days, scopes, interactive } = draft;
  const setScopes = (next: readonly string[] | null) => setDraft({ ...draft, scopes: next });
  const create = useAction({
    run: (client, body: NewToken) => client.post<TokenAnswer>("/tokens", body),
    invalidates: ["/tokens"],
    quiet: true,
  });
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const result = await create.run({
      agent,
      ...(label === "" ? {} : { label }),
      ...(days === "" ? {} : { expiresInMs: Number(days) * DAY_MS }),
      ...(scopes === null ? {} : { scopes }),
      ...(interactive ? { interactive } : {}),
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
      title="Create token"
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
        <Field label="Label" hint="Where you will use it, such as Claude Code on my laptop">
          {(inputProps) => (
            <TextInput
              {...inputProps}
              maxLength={200}
              value={label}
              onChange={({ target }) => setDraft({ ...draft, label: target.value })}
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
        <Checkbox
          label="Limit to certain tools"
          checked={scopes !== null}
          onChange={({ target }) => setScopes(target.checked ? ["mcp", "tools"] : null)}
        />
        {scopes !== null && (
          <fieldset className="grid grid-cols-2 gap-2 rounded-md border border-line p-3 max-sm:grid-cols-1">
            <legend className="sr-only">Kinds of tools</legend>
            {SCOPES.map(([id, text]) => (
              <Checkbox
                key={id}
                label={text}
                checked={scopes.includes(id)}
                onChange={({ target }) =>
                  setScopes(target.checked ? [...scopes, id] : scopes.filter((one) => one !== id))
                }
              />
            ))}
          </fieldset>
        )}
        <Checkbox
          label="The person at the client can approve single calls"
          hint="Only for a client that a person uses, never for an unattended program."
          checked={interactive}
          onChange={({ target }) => setDraft({ ...draft, interactive: target.checked })}
        />
        <FormProblem problem={create.problem} />
      </form>
    </Dialog>
  );
}
