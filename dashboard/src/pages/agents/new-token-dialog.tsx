import { type FormEvent, useId } from "react";
import type { NewToken, TokenAnswer } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Checkbox, Field, FormProblem, Select, TextInput } from "../../ui/form.tsx";
import { useDraft } from "../../ui/use-draft.ts";

export const DAY_MS = 86_400_000;
/** When a token expires, in days. */
export const LIVES = [
  ["", "never"],
  ["1", "after a day"],
  ["30", "after 30 days"],
  ["90", "after 90 days"],
  ["365", "after a year"],
] as const;

/** What tools a token may be narrowed to, in words. */
const SCOPES = [
  ["mcp", "Tools of servers and plugins"],
  ["tools", "Tools that come with Toolkeep"],
  ["files", "Files"],
  ["shell", "Commands"],
  ["web", "The web"],
  ["human", "Asking people"],
  ["search", "Searching knowledge"],
  ["get", "Reading knowledge"],
  ["memory.read", "Reading memory"],
  ["memory.write", "Writing memory"],
  ["sync", "Bringing sources up to date"],
  ["ingest", "Writing into the inbox"],
  ["admin", "Managing Toolkeep"],
] as const;

interface Draft {
  readonly label: string;
  /** "": for good. */
  readonly days: string;
  /** Null: all. */
  readonly scopes: readonly string[] | null;
  readonly interactive: boolean;
}

const NOTHING: Draft = { label: "", days: "", scopes: null, interactive: false };

export function NewTokenDialog({
  agent,
  onClose,
  onMade,
}: {
  agent: string;
  onClose: () => void;
  onMade: (answer: TokenAnswer) => void;
}) {
  const form = useId();
  const [draft, setDraft, forget] = useDraft<Draft>(`token.${agent}`, NOTHING);
  const { label, days, scopes, interactive } = draft;
  const setScopes = (next: readonly string[] | null) => setDraft({ ...draft, scopes: next });
  const create = useAction({
    run: (client, body: NewToken) => client.post<TokenAnswer>("/tokens", body),
    invalidates: ["/tokens"],
    quiet: true,
  });
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const made = await create.run({
      agent,
      ...(label === "" ? {} : { label }),
      ...(days === "" ? {} : { expiresInMs: Number(days) * DAY_MS }),
      ...(scopes === null ? {} : { scopes }),
      ...(interactive ? { interactive } : {}),
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
      title="New token"
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button look="primary" type="submit" form={form} busy={create.isBusy}>
            Make the token
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={(event) => void send(event)} className="flex flex-col gap-3">
        <Field label="Label" hint="Where it will be used: Claude Code on the laptop">
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
              options={LIVES}
              value={days}
              onChange={({ target }) => setDraft({ ...draft, days: target.value })}
            />
          )}
        </Field>
        <Checkbox
          label="Only for some kinds of tools"
          checked={scopes !== null}
          onChange={({ target }) => setScopes(target.checked ? ["mcp", "tools"] : null)}
        />
        {scopes !== null && (
          <fieldset className="grid grid-cols-2 gap-2 rounded-md border border-line p-3 max-sm:grid-cols-1">
            <legend className="sr-only">Kinds of tools</legend>
            {SCOPES.map(([id, words]) => (
              <Checkbox
                key={id}
                label={words}
                checked={scopes.includes(id)}
                onChange={({ target }) =>
                  setScopes(target.checked ? [...scopes, id] : scopes.filter((one) => one !== id))
                }
              />
            ))}
          </fieldset>
        )}
        <Checkbox
          label="The person at its client may approve single calls there"
          hint="Only where a person sits at the client, not a program."
          checked={interactive}
          onChange={({ target }) => setDraft({ ...draft, interactive: target.checked })}
        />
        <FormProblem problem={create.problem} />
      </form>
    </Dialog>
  );
}
