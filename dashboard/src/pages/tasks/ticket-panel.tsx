import { pathOf } from "../../api/client.ts";
import type { AgentList, Done, TicketAnswer, TicketEdit, TicketView } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { here, navigate } from "../../app/location.ts";
import { useMay } from "../../app/session.tsx";
import { Badge } from "../../ui/badge.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { Select } from "../../ui/form.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { TextLink } from "../../ui/link.tsx";
import { Menu } from "../../ui/menu.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { PRIORITIES, StatusMark, TICKET_STATUSES } from "./status-words.tsx";
import { AgentLink } from "./task-panel.tsx";
import { Comments } from "./ticket-comments.tsx";
import { Priority } from "./tickets.tsx";

const LIST = "/tasks/tickets";

/** One piece of work: how far it is, who has it, and what was said about it. */
export function TicketPanel({ name }: { name: string }) {
  const answer = useGet<TicketAnswer>(pathOf("tickets", name));
  const ticket = answer.data?.ticket;
  return (
    <SidePanel
      title={<Untrusted text={ticket?.ref ?? name} line mono />}
      back={here({}, LIST)}
      actions={ticket && <More ticket={ticket} />}
    >
      <Loaded query={answer}>
        {({ ticket: shown }) => (
          <>
            <Facts ticket={shown} />
            <PanelSection title="What it is about">
              {shown.description === "" ? (
                <p className="text-soft">Nothing more was written.</p>
              ) : (
                <Untrusted text={shown.description} max={4_000} />
              )}
            </PanelSection>
            <Comments ticket={shown.ref} />
          </>
        )}
      </Loaded>
    </SidePanel>
  );
}

function Facts({ ticket }: { ticket: TicketView }) {
  const { title, project, labels, createdBy, createdAt, updatedAt } = ticket;
  return (
    <PanelSection>
      <p className="mb-3 text-base font-medium">
        <Untrusted text={title} />
      </p>
      {useMay("operator") ? <Changeable ticket={ticket} /> : <Shown ticket={ticket} />}
      <div className="mt-3">
        <KeyValues
          pairs={[
            [
              "Project",
              <TextLink key="project" to={pathOf("tasks", "projects", project)}>
                {project}
              </TextLink>,
            ],
            [
              "Labels",
              labels.length > 0 && (
                <span key="labels" className="flex flex-wrap gap-1">
                  {labels.map((label) => (
                    <Badge key={label}>
                      <Untrusted text={label} line />
                    </Badge>
                  ))}
                </span>
              ),
            ],
            ["Written by", createdBy === null ? "a person" : <AgentLink key="by" name={createdBy} />],
            ["Written", <Time key="written" at={createdAt} />],
            ["Changed", <Time key="changed" at={updatedAt} />],
          ]}
        />
      </div>
    </PanelSection>
  );
}

function Shown({ ticket: { status, priority, assignee } }: { ticket: TicketView }) {
  return (
    <KeyValues
      pairs={[
        ["Status", <StatusMark key="status" status={status} />],
        ["Priority", <Priority key="priority" priority={priority} />],
        ["Agent", assignee === null ? "nobody" : <AgentLink key="agent" name={assignee} />],
      ]}
    />
  );
}

/** Each choice counts at once; the other person's change in between is refused. */
function Changeable({ ticket }: { ticket: TicketView }) {
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  const change = useAction({
    run: (client, edit: TicketEdit) =>
      client.patch<TicketAnswer>(pathOf("tickets", ticket.ref), { ...edit, revision: ticket.revision }),
    done: "Saved",
    changes: ["/tickets", "/projects"],
  });
  return (
    <div className="flex flex-col gap-2">
      <Choice
        label="Status"
        disabled={change.busy}
        options={TICKET_STATUSES}
        value={ticket.status}
        onChoose={(status) => void change.run({ status: status as TicketView["status"] })}
      />
      <Choice
        label="Priority"
        disabled={change.busy}
        options={PRIORITIES}
        value={ticket.priority}
        onChoose={(priority) => void change.run({ priority: priority as TicketView["priority"] })}
      />
      <Choice
        label="Agent"
        disabled={change.busy}
        options={[["", "nobody"], ...agents.map(({ name }) => [name, name] as const)]}
        value={ticket.assignee ?? ""}
        onChoose={(assignee) => void change.run({ assignee: assignee || null })}
      />
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly disabled: boolean;
  readonly options: readonly (readonly [string, string])[];
  readonly value: string;
  readonly onChoose: (value: string) => void;
}

function Choice({ label, onChoose, ...given }: ChoiceProps) {
  return (
    <div className="grid grid-cols-[6.5rem_minmax(0,1fr)] items-center gap-4">
      <span className="text-soft">{label}</span>
      <Select {...given} aria-label={label} onChange={({ target }) => onChoose(target.value)} />
    </div>
  );
}

function More({ ticket: { ref } }: { ticket: TicketView }) {
  const confirm = useConfirm();
  const isAdmin = useMay("admin");
  const remove = useAction({
    run: (client) => client.delete<Done>(pathOf("tickets", ref)),
    done: `${ref} was deleted`,
    changes: ["/tickets", "/projects"],
  });
  const ask = async () => {
    const isSure = await confirm({
      title: `Delete ${ref}?`,
      what: "It goes with its comments, for good; its number is not given again. To keep it without doing it, cancel it.",
      action: "Delete",
      danger: true,
    });
    if (isSure && (await remove.run())) navigate(here({}, LIST));
  };
  return (
    <Menu
      label={`More about ${ref}`}
      items={
        isAdmin
          ? [{ label: "Delete …", icon: "trash" as const, danger: true, onSelect: () => void ask() }]
          : []
      }
    />
  );
}
