import type { FormEvent } from "react";
import { joinPath } from "../../api/client.ts";
import type {
  AgentList,
  NewTicket as NewTicketInput,
  ProjectList,
  TicketAnswer,
  TicketView,
} from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { navigate, urlWith, useUrlState } from "../../app/location.ts";
import { Field, Select, TextArea, TextInput } from "../../ui/form.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { NewThing } from "./new-thing.tsx";
import { PRIORITIES } from "./status-words.tsx";

const NOTHING = {
  project: "",
  title: "",
  description: "",
  priority: "normal" as TicketView["priority"],
  assignee: "",
};

export function NewTicket({ onClose }: { onClose: () => void }) {
  const [draft, setDraft, forget] = useDraft("ticket-new", NOTHING);
  const [shown] = useUrlState("project");
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  const projects = useGet<ProjectList>("/projects", { params: { status: "active" } }).data?.projects ?? [];
  const project = draft.project || shown || (projects[0]?.key ?? "");
  const create = useAction({
    run: (client, ticket: NewTicketInput) => client.post<TicketAnswer>("/tickets", ticket),
    successMessage: ({ ticket }) => `${ticket.ref} is there now`,
    invalidates: ["/tickets", "/projects"],
    quiet: true,
  });
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const made = await create.run({ ...draft, project, assignee: draft.assignee || null });
    if (!made) return;
    forget();
    navigate(urlWith({ new: "" }, joinPath("tasks", "tickets", made.ticket.ref)));
  };
  return (
    <NewThing
      title="New ticket"
      action="Write it"
      doing={create}
      isReady={project !== "" && draft.title.trim() !== ""}
      onSend={(event) => void send(event)}
      onClose={() => {
        forget();
        onClose();
      }}
    >
      <Field
        label="Project"
        {...(projects.length === 0 ? { hint: "There is none yet; make one first." } : {})}
      >
        {(inputProps) => (
          <Select
            {...inputProps}
            value={project}
            options={projects.map(({ key, name }) => [key, `${key}: ${name}`] as const)}
            onChange={({ target }) => setDraft({ ...draft, project: target.value })}
          />
        )}
      </Field>
      <Field label="What is to be done">
        {(inputProps) => (
          <TextInput
            {...inputProps}
            maxLength={300}
            value={draft.title}
            onChange={({ target }) => setDraft({ ...draft, title: target.value })}
          />
        )}
      </Field>
      <Field label="What it is about">
        {(inputProps) => (
          <TextArea
            {...inputProps}
            rows={6}
            maxLength={20_000}
            value={draft.description}
            onChange={({ target }) => setDraft({ ...draft, description: target.value })}
          />
        )}
      </Field>
      <div className="grid grid-cols-2 gap-3">
        <Field label="Priority">
          {(inputProps) => (
            <Select
              {...inputProps}
              value={draft.priority}
              options={PRIORITIES}
              onChange={({ target }) =>
                setDraft({ ...draft, priority: target.value as TicketView["priority"] })
              }
            />
          )}
        </Field>
        <Field label="Who does it">
          {(inputProps) => (
            <Select
              {...inputProps}
              value={draft.assignee}
              options={[["", "nobody yet"], ...agents.map(({ name }) => [name, name] as const)]}
              onChange={({ target }) => setDraft({ ...draft, assignee: target.value })}
            />
          )}
        </Field>
      </div>
    </NewThing>
  );
}
