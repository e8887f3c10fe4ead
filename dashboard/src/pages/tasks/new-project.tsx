import type { FormEvent } from "react";
import { joinPath } from "../../api/client.ts";
import type { ProjectAnswer, ProjectInput } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { navigate, urlWith } from "../../app/location.ts";
import { Field, TextArea, TextInput } from "../../ui/form.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { NewThing } from "./new-thing.tsx";

const NOTHING = { name: "", key: "", description: "" };

export function NewProject({ onClose }: { onClose: () => void }) {
  const [draft, setDraft, forget] = useDraft("project-new", NOTHING);
  const create = useAction({
    run: (client, project: ProjectInput) => client.post<ProjectAnswer>("/projects", project),
    successMessage: ({ project }) => `${project.name} is there now`,
    invalidates: ["/projects"],
    quiet: true,
  });
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const { key, ...rest } = draft;
    const made = await create.run({ ...rest, ...(key.trim() === "" ? {} : { key: key.trim() }) });
    if (!made) return;
    forget();
    navigate(urlWith({ new: "" }, joinPath("tasks", "projects", made.project.key)));
  };
  return (
    <NewThing
      title="New project"
      action="Make it"
      doing={create}
      isReady={draft.name.trim() !== ""}
      onSend={(event) => void send(event)}
      onClose={() => {
        forget();
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
        hint="Tickets are named after it: TK-12. Empty: made from the name. It never changes."
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
      <Field label="About">
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
    </NewThing>
  );
}
