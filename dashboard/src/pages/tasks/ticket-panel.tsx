import { joinPath } from "../../api/client.ts";
import type { AgentList, Done, TicketAnswer, TicketEdit, TicketView } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { navigate, urlWith } from "../../app/location.ts";
import { useHasRole } from "../../app/session.tsx";
import { Badge } from "../../ui/badge.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { Select } from "../../ui/form.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { TextLink } from "../../ui/link.tsx";
import { Menu } from "../../ui/menu.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { QueryView } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { PRIORITIES, StatusMark, TICKET_STATUSES } from "./status-labels.tsx";
import { AgentLink } from "./task-panel.tsx";
import { Comments } from "./ticket-comments.tsx";
import { Priority } from "./tickets.tsx";

const LIST_URL = "/tasks/tickets";

/** One ticket: status, agent, description and comments. */
export function TicketPanel({ name }: { name: string }) {
  const answer = useGet<TicketAnswer>(joinPath("tickets", name));
  const ticket = answer.data?.ticket;
  return (
    <SidePanel
      title={<UntrustedText text={ticket?.ref ?? name} line mono />}
      closeTo={urlWith({}, LIST_URL)}
      actions={ticket && <MoreMenu ticket={ticket} />}
    >
      <QueryView query={answer}>
        {({ ticket: loaded }) => (
          <>
            <Facts ticket={loaded} />
            <PanelSection title="Description">
              {loaded.description === "" ? (
                <p className="text-soft">No description.</p>
              ) : (
                <UntrustedText text={loaded.description} max={4_000} />
              )}
            </PanelSection>
            <Comments ticket={loaded.ref} />
          </>
        )}
      </QueryView>
    </SidePanel>
  );
}

function Facts({ ticket }: { ticket: TicketView }) {
  const { title, project, labels, createdBy, createdAt, updatedAt } = ticket;
  return (
    <PanelSection>
      <p className="mb-3 text-base font-medium">
        <UntrustedText text={title} />
      </p>
      {useHasRole("operator") ? <EditableFields ticket={ticket} /> : <ReadOnlyFields ticket={ticket} />}
      <div className="mt-3">
        <KeyValues
          pairs={[
            [
              "Project",
              <TextLink key="project" to={joinPath("tasks", "projects", project)}>
                {project}
              </TextLink>,
            ],
            [
              "Labels",
              labels.length > 0 && (
                <span key="labels" className="flex flex-wrap gap-1">
                  {labels.map((label) => (
                    <Badge key={label}>
                      <UntrustedText text={label} line />
                    </Badge>
                  ))}
                </span>
              ),
            ],
            ["Created by", createdBy === null ? "A person" : <AgentLink key="by" name={createdBy} />],
            ["Created", <Time key="created" at={createdAt} />],
            ["Updated", <Time key="updated" at={updatedAt} />],
          ]}
        />
      </div>
    </PanelSection>
  );
}

function ReadOnlyFields({ ticket: { status, priority, assignee } }: { ticket: TicketView }) {
  return (
    <KeyValues
      pairs={[
        ["Status", <StatusMark key="status" status={status} />],
        ["Priority", <Priority key="priority" priority={priority} />],
        ["Agent", assignee === null ? "Unassigned" : <AgentLink key="agent" name={assignee} />],
      ]}
    />
  );
}

/** Saves each selection immediately. The API refuses it when somebody else changed the ticket in between. */
function EditableFields({ ticket }: { ticket: TicketView }) {
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  const change = useAction({
    run: (client, edit: TicketEdit) =>
      client.patch<TicketAnswer>(joinPath("tickets", ticket.ref), { ...edit, revision: ticket.revision }),
    successMessage: "Saved",
    invalidates: ["/tickets", "/projects"],
  });
  return (
    <div className="flex flex-col gap-2">
      <FieldSelect
        label="Status"
        disabled={change.isBusy}
        options={TICKET_STATUSES}
        value={ticket.status}
        onChoose={(status) => void change.run({ status: status as TicketView["status"] })}
      />
      <FieldSelect
        label="Priority"
        disabled={change.isBusy}
        options={PRIORITIES}
        value={ticket.priority}
        onChoose={(priority) => void change.run({ priority: priority as TicketView["priority"] })}
      />
      <FieldSelect
        label="Agent"
        disabled={change.isBusy}
        options={[["", "Unassigned"], ...agents.map(({ name }) => [name, name] as const)]}
        value={ticket.assignee ?? ""}
        onChoose={(assignee) => void change.run({ assignee: assignee || null })}
      />
    </div>
  );
}

interface FieldSelectProps {
  readonly label: string;
  readonly disabled: boolean;
  readonly options: readonly (readonly [string, string])[];
  readonly value: string;
  readonly onChoose: (value: string) => void;
}

function FieldSelect({ label, onChoose, ...selectProps }: FieldSelectProps) {
  return (
    <div className="grid grid-cols-[6.5rem_minmax(0,1fr)] items-center gap-4">
      <span className="text-soft">{label}</span>
      <Select {...selectProps} aria-label={label} onChange={({ target }) => onChoose(target.value)} />
    </div>
  );
}

function MoreMenu({ ticket: { ref } }: { ticket: TicketView }) {
  const confirm = useConfirm();
  const isAdmin = useHasRole("admin");
  const remove = useAction({
    run: (client) => client.delete<Done>(joinPath("tickets", ref)),
    successMessage: `Deleted ${ref}`,
    invalidates: ["/tickets", "/projects"],
  });
  const confirmDelete = async () => {
    const isConfirmed = await confirm({
      title: `Delete ${ref}?`,
      description:
        "This deletes the ticket and its comments, and its number is not used again. This cannot be undone. To keep the ticket, cancel it instead.",
      action: "Delete",
      danger: true,
    });
    if (isConfirmed && (await remove.run())) navigate(urlWith({}, LIST_URL));
  };
  return (
    <Menu
      label={`More actions for ${ref}`}
      items={
        isAdmin
          ? [{ label: "Delete…", icon: "trash" as const, danger: true, onSelect: () => void confirmDelete() }]
          : []
      }
    />
  );
}
