import { useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { SecretAnswer, SecretInput } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { navigate } from "../../app/location.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, FormProblem, Select, TextArea, TextInput } from "../../ui/form.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { BindingFields, type Bindings, bindingOf, UNBOUND } from "./binding-fields.tsx";

type Source = "value" | "env" | "file" | "cmd";

const OPTIONS: readonly (readonly [Source, string])[] = [
  ["value", "I type it here"],
  ["env", "A variable of the daemon's environment"],
  ["file", "A file on the daemon's machine"],
  ["cmd", "A program that prints it"],
];

const HINTS: Readonly<Record<Exclude<Source, "value">, string>> = {
  env: "The name of the variable, such as GITHUB_TOKEN.",
  file: "The whole path, such as /run/secrets/github.",
  cmd: "The program and its arguments, such as pass show github.",
};

interface Draft extends Bindings {
  readonly name: string;
  readonly source: Source;
  readonly from: string;
}

const EMPTY: Draft = { name: "", source: "value", from: "", ...UNBOUND };

/** Sets a secret: a new one, or with `name` another value of one that is there, whose bindings stay. */
export function SecretDialog({ name, onClose }: { name?: string; onClose: () => void }) {
  const [draft, setDraft, forget] = useDraft<Draft>(`secret.${name ?? ""}`, { ...EMPTY, name: name ?? "" });
  // Never in a draft: it would lie in the storage of the browser.
  const [value, setValue] = useState("");
  const set = useAction({
    run: (client, input: SecretInput) => client.put<SecretAnswer>(joinPath("secrets", draft.name), input),
    successMessage: name === undefined ? "Stored" : "It has the new value",
    invalidates: ["/secrets"],
    quiet: true,
  });
  const send = async () => {
    const given = draft.source === "value" ? { value } : { from: `${draft.source}:${draft.from}` };
    const saved = await set.run({ ...given, ...(name === undefined && bindingOf(draft)) });
    if (!saved) return;
    forget();
    onClose();
    navigate(joinPath("vault", saved.secret.name));
  };
  const isReady = draft.name !== "" && (draft.source === "value" ? value : draft.from) !== "";
  return (
    <Dialog
      title={name === undefined ? "Add a secret" : `A new value for ${name}`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" busy={set.isBusy} disabled={!isReady} onClick={() => void send()}>
            {name === undefined ? "Store it" : "Replace the value"}
          </Button>
        </>
      }
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void send();
        }}
      >
        {name === undefined && (
          <Field label="Name" hint="Capitals, digits and _, such as GITHUB_TOKEN.">
            {(inputProps) => (
              <TextInput
                {...inputProps}
                mono
                data-autofocus
                value={draft.name}
                onChange={(event) => setDraft({ ...draft, name: event.target.value.toUpperCase() })}
              />
            )}
          </Field>
        )}
        <Field label="Where the value comes from">
          {(inputProps) => (
            <Select
              {...inputProps}
              options={OPTIONS}
              value={draft.source}
              onChange={(event) => setDraft({ ...draft, source: event.target.value as Source })}
            />
          )}
        </Field>
        {draft.source === "value" ? (
          <Field label="Value" hint="Sealed at once. Values of several lines may be pasted.">
            {(inputProps) =>
              value.includes("\n") ? (
                <TextArea
                  {...inputProps}
                  mono
                  value={value}
                  onChange={(event) => setValue(event.target.value)}
                />
              ) : (
                <TextInput
                  {...inputProps}
                  type="password"
                  autoComplete="new-password"
                  value={value}
                  onChange={(event) => setValue(event.target.value)}
                  onPaste={(event) => {
                    const text = event.clipboardData.getData("text");
                    if (!text.includes("\n")) return;
                    event.preventDefault();
                    setValue(text);
                  }}
                />
              )
            }
          </Field>
        ) : (
          <Field label="Where exactly" hint={HINTS[draft.source]}>
            {(inputProps) => (
              <TextInput
                {...inputProps}
                mono
                value={draft.from}
                onChange={(event) => setDraft({ ...draft, from: event.target.value })}
              />
            )}
          </Field>
        )}
        {name === undefined && (
          <BindingFields value={draft} change={(next) => setDraft({ ...draft, ...next })} />
        )}
        <FormProblem problem={set.problem} />
      </form>
    </Dialog>
  );
}
