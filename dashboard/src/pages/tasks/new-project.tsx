import type { FormEvent } from "react";
import { joinPath } from "../../api/client.ts";
import type { ProjectAnswer, ProjectInput } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { navigate, urlWith } from "../../app/location.ts";
import { Field, TextArea, TextInput } from "../../ui/form.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { FormDialog } from "./form-dialog.tsx";

const EMPTY = { name: "", key: "", description: "" };

export function NewProject({ onClose }: { onClose: () => void }) {
  const [draft, setDraft, clearDraft] = useDraft("project-new", EMPTY);
  const create = useAction({
    run: (client, project: ProjectInput) => client.post<ProjectAnswer>("/projects", project),
    successMessage: ({ project }) => `Created ${project.name}`,
    invalidates: ["/projects"],
    quiet: true,
  });
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const { key, ...rest } = draft;
    const result = await create.run({ ...rest, ...(key.trim() === "" ? {} : { key: key.trim() }) });
    if (!result) return;
    clearDraft();
    navigate(urlWith({ new: "" }, joinPath("tasks", "projects", result.project.key)));
  };
  return (
    <FormDialog
      title="Create project"
      action="Create project"
      state={create}
      isReady={draft.name.trim() !== ""}
      onSend={(event) => void send(event)}
      onClose={() => {
        clearDraft();
        onClose();
      }}
    >
      <Field label="Name">
        {(inputProps) => (
          <TextInput
            {...inputProps}
            maxLength={200}
            value={draft.name}
            onChange={({ target }) => setDraft({ ...draft, name: target.value })}
          />
        )}
      </Field>
      <Field
        label="Key"
        hint="The prefix of ticket numbers, such as TK in TK-12. Leave blank to derive it from the name. It cannot be changed later."
      >
        {(inputProps) => (
          <TextInput
            {...inputProps}
            mono
            maxLength={10}
            value={draft.key}
            onChange={({ target }) => setDraft({ ...draft, key: target.value })}
          />
        )}
      </Field>
      <Field label="Description">
        {(inputProps) => (
          <TextArea
            {...inputProps}
            rows={4}
            maxLength={20_000}
            value={draft.description}
            onChange={({ target }) => setDraft({ ...draft, description: target.value })}
          />
        )}
      </Field>
    </FormDialog>
  );
}
