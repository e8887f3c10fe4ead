import { useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { SecretAnswer, SecretInput } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { navigate } from "../../app/location.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, FormProblem, Select, TextArea, TextInput } from "../../ui/form.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { type BindingDraft, BindingFields, EMPTY_BINDING, toBinding } from "./binding-fields.tsx";

type Source = "value" | "env" | "file" | "cmd";

const SOURCE_OPTIONS: readonly (readonly [Source, string])[] = [
  ["value", "Enter it here"],
  ["env", "Environment variable of the daemon"],
  ["file", "File on the daemon's machine"],
  ["cmd", "Output of a program"],
];

const SOURCE_HINTS: Readonly<Record<Exclude<Source, "value">, string>> = {
  env: "The name of the variable, such as GITHUB_TOKEN.",
  file: "The full path, such as /run/secrets/github.",
  cmd: "The program and its arguments, such as pass show github.",
};

interface Draft extends BindingDraft {
  readonly name: string;
  readonly source: Source;
  readonly from: string;
}

const EMPTY: Draft = { name: "", source: "value", from: "", ...EMPTY_BINDING };

/** Adds a secret, or with `name` replaces the value of an existing one and keeps its binding. */
export function SecretDialog({ name, onClose }: { name?: string; onClose: () => void }) {
  const [draft, setDraft, clearDraft] = useDraft<Draft>(`secret.${name ?? ""}`, {
    ...EMPTY,
    name: name ?? "",
  });
  // Never part of the draft, which is kept in browser storage.
  const [value, setValue] = useState("");
  const save = useAction({
    run: (client, input: SecretInput) => client.put<SecretAnswer>(joinPath("secrets", draft.name), input),
    successMessage: name === undefined ? "Secret added" : "Value replaced",
    invalidates: ["/secrets"],
    quiet: true,
  });
  const send = async () => {
    const valueInput = draft.source === "value" ? { value } : { from: `${draft.source}:${draft.from}` };
    const result = await save.run({ ...valueInput, ...(name === undefined && toBinding(draft)) });
    if (!result) return;
    clearDraft();
    onClose();
    navigate(joinPath("vault", result.secret.name));
  };
  const isReady = draft.name !== "" && (draft.source === "value" ? value : draft.from) !== "";
  return (
    <Dialog
      title={name === undefined ? "Add secret" : `Replace the value of ${name}`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" busy={save.isBusy} disabled={!isReady} onClick={() => void send()}>
            {name === undefined ? "Add secret" : "Replace value"}
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
          <Field label="Name" hint="Uppercase letters, digits and _, such as GITHUB_TOKEN.">
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
        <Field label="Source">
          {(inputProps) => (
            <Select
              {...inputProps}
              options={SOURCE_OPTIONS}
              value={draft.source}
              onChange={(event) => setDraft({ ...draft, source: event.target.value as Source })}
            />
          )}
        </Field>
        {draft.source === "value" ? (
          <Field label="Value" hint="Encrypted immediately. You can paste several lines.">
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
          <Field label="Location" hint={SOURCE_HINTS[draft.source]}>
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
        <FormProblem problem={save.problem} />
      </form>
    </Dialog>
  );
}
