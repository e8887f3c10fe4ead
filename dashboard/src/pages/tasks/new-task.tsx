import type { FormEvent } from "react";
import { joinPath } from "../../api/client.ts";
import type { AgentList, NewTask as NewTaskInput, TaskAnswer } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { navigate, urlWith } from "../../app/location.ts";
import { Field, Select, TextArea, TextInput } from "../../ui/form.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { NewThing } from "./new-thing.tsx";

const NOTHING = { agent: "", title: "", instructions: "" };

/** Gives a sub-agent something to do. */
export function NewTask({ onClose }: { onClose: () => void }) {
  const [draft, setDraft, forget] = useDraft("task-new", NOTHING);
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  const workers = agents.filter(({ parent }) => parent !== null);
  const agent = draft.agent || (workers[0]?.name ?? "");
  const give = useAction({
    run: (client, task: NewTaskInput) => client.post<TaskAnswer>("/tasks", task),
    successMessage: ({ task }) => `${task.agent} has it now`,
    invalidates: ["/tasks"],
    quiet: true,
  });
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const given = await give.run({ ...draft, agent });
    if (!given) return;
    forget();
    navigate(urlWith({ new: "" }, joinPath("tasks", "given", given.task.id)));
  };
  return (
    <NewThing
      title="Give a task"
      action="Give it"
      doing={give}
      isReady={agent !== "" && draft.title.trim() !== ""}
      onSend={(event) => void send(event)}
      onClose={() => {
        forget();
        onClose();
      }}
    >
      <Field label="To whom" hint={workers.length === 0 ? "There is no sub-agent yet." : "A sub-agent."}>
        {(inputProps) => (
          <Select
            {...inputProps}
            value={agent}
            options={workers.map(({ name, parent }) => [name, `${name}, of ${parent}`] as const)}
            onChange={({ target }) => setDraft({ ...draft, agent: target.value })}
          />
        )}
      </Field>
      <Field label="What is to be done">
        {(inputProps) => (
          <TextInput
            {...inputProps}
            maxLength={2_000}
            value={draft.title}
            onChange={({ target }) => setDraft({ ...draft, title: target.value })}
          />
        )}
      </Field>
      <Field label="Instructions" hint="What it has to know; may be left empty.">
        {(inputProps) => (
          <TextArea
            {...inputProps}
            rows={6}
            value={draft.instructions}
            onChange={({ target }) => setDraft({ ...draft, instructions: target.value })}
          />
        )}
      </Field>
    </NewThing>
  );
}
