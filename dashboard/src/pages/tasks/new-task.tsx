import type { FormEvent } from "react";
import { joinPath } from "../../api/client.ts";
import type { AgentList, NewTask as NewTaskInput, TaskAnswer } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { navigate, urlWith } from "../../app/location.ts";
import { Field, Select, TextArea, TextInput } from "../../ui/form.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { FormDialog } from "./form-dialog.tsx";

const EMPTY = { agent: "", title: "", instructions: "" };

/** Creates a task for a sub-agent. */
export function NewTask({ onClose }: { onClose: () => void }) {
  const [draft, setDraft, clearDraft] = useDraft("task-new", EMPTY);
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  const subAgents = agents.filter(({ parent }) => parent !== null);
  const agent = draft.agent || (subAgents[0]?.name ?? "");
  const create = useAction({
    run: (client, task: NewTaskInput) => client.post<TaskAnswer>("/tasks", task),
    successMessage: ({ task }) => `Assigned to ${task.agent}`,
    invalidates: ["/tasks"],
    quiet: true,
  });
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const result = await create.run({ ...draft, agent });
    if (!result) return;
    clearDraft();
    navigate(urlWith({ new: "" }, joinPath("tasks", "given", result.task.id)));
  };
  return (
    <FormDialog
      title="Create task"
      action="Create task"
      state={create}
      isReady={agent !== "" && draft.title.trim() !== ""}
      onSend={(event) => void send(event)}
      onClose={() => {
        clearDraft();
        onClose();
      }}
    >
      <Field
        label="Agent"
        hint={subAgents.length === 0 ? "Create a sub-agent first." : "The sub-agent that does the task."}
      >
        {(inputProps) => (
          <Select
            {...inputProps}
            value={agent}
            options={subAgents.map(({ name, parent }) => [name, `${name} (sub-agent of ${parent})`] as const)}
            onChange={({ target }) => setDraft({ ...draft, agent: target.value })}
          />
        )}
      </Field>
      <Field label="Title">
        {(inputProps) => (
          <TextInput
            {...inputProps}
            maxLength={2_000}
            value={draft.title}
            onChange={({ target }) => setDraft({ ...draft, title: target.value })}
          />
        )}
      </Field>
      <Field label="Instructions" hint="Optional. What the agent needs to know.">
        {(inputProps) => (
          <TextArea
            {...inputProps}
            rows={6}
            value={draft.instructions}
            onChange={({ target }) => setDraft({ ...draft, instructions: target.value })}
          />
        )}
      </Field>
    </FormDialog>
  );
}
