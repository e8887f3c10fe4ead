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
import { FormDialog } from "./form-dialog.tsx";
import { PRIORITIES } from "./status-labels.tsx";

const EMPTY = {
  project: "",
  title: "",
  description: "",
  priority: "normal" as TicketView["priority"],
  assignee: "",
};

export function NewTicket({ onClose }: { onClose: () => void }) {
  const [draft, setDraft, clearDraft] = useDraft("ticket-new", EMPTY);
  const [filteredProject] = useUrlState("project");
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  const projects = useGet<ProjectList>("/projects", { params: { status: "active" } }).data?.projects ?? [];
  const project = draft.project || filteredProject || (projects[0]?.key ?? "");
  const create = useAction({
    run: (client, ticket: NewTicketInput) => client.post<TicketAnswer>("/tickets", ticket),
    successMessage: ({ ticket }) => `Created ${ticket.ref}`,
    invalidates: ["/tickets", "/projects"],
    quiet: true,
  });
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const result = await create.run({ ...draft, project, assignee: draft.assignee || null });
    if (!result) return;
    clearDraft();
    navigate(urlWith({ new: "" }, joinPath("tasks", "tickets", result.ticket.ref)));
  };
  return (
    <FormDialog
      title="Create ticket"
      action="Create ticket"
      state={create}
      isReady={project !== "" && draft.title.trim() !== ""}
      onSend={(event) => void send(event)}
      onClose={() => {
        clearDraft();
        onClose();
      }}
    >
      <Field label="Project" {...(projects.length === 0 ? { hint: "Create a project first." } : {})}>
        {(inputProps) => (
          <Select
            {...inputProps}
            value={project}
            options={projects.map(({ key, name }) => [key, `${key}: ${name}`] as const)}
            onChange={({ target }) => setDraft({ ...draft, project: target.value })}
          />
        )}
      </Field>
      <Field label="Title">
        {(inputProps) => (
          <TextInput
            {...inputProps}
            maxLength={300}
            value={draft.title}
            onChange={({ target }) => setDraft({ ...draft, title: target.value })}
          />
        )}
      </Field>
      <Field label="Description">
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
        <Field label="Agent">
          {(inputProps) => (
            <Select
              {...inputProps}
              value={draft.assignee}
              options={[["", "Unassigned"], ...agents.map(({ name }) => [name, name] as const)]}
              onChange={({ target }) => setDraft({ ...draft, assignee: target.value })}
            />
          )}
        </Field>
      </div>
    </FormDialog>
  );
}
