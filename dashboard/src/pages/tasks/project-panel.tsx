import { joinPath } from "../../api/client.ts";
import type { ProjectAnswer, ProjectEdit, ProjectView } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { urlWith } from "../../app/location.ts";
import { useHasRole } from "../../app/session.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { ButtonLink } from "../../ui/link.tsx";
import { Menu } from "../../ui/menu.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { QueryView } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { ProjectNotes } from "./project-notes.tsx";
import { leftIn, ProjectStatus } from "./projects.tsx";
import { StatusMark, TICKET_STATUSES } from "./status-words.tsx";
import { AgentLink } from "./task-panel.tsx";

/** One project: how far it is, and what is worth knowing about it. */
export function ProjectPanel({ name }: { name: string }) {
  const answer = useGet<ProjectAnswer>(joinPath("projects", name));
  const project = answer.data?.project;
  return (
    <SidePanel
      title={<UntrustedText text={project?.name ?? name} line />}
      closeTo={urlWith({}, "/tasks/projects")}
      actions={
        project && (
          <>
            <ButtonLink to={`/tasks/tickets?project=${encodeURIComponent(project.key)}`}>
              Its {leftIn(project)} to do
            </ButtonLink>
            <More project={project} />
          </>
        )
      }
    >
      <QueryView query={answer}>
        {({ project: shown }) => (
          <>
            <PanelSection>
              {shown.description !== "" && (
                <p className="mb-3">
                  <UntrustedText text={shown.description} max={2_000} />
                </p>
              )}
              <KeyValues
                pairs={[
                  [
                    "Key",
                    <span key="key" className="font-mono text-xs">
                      {shown.key}
                    </span>,
                  ],
                  ["Status", <ProjectStatus key="status" status={shown.status} />],
                  [
                    "Made by",
                    shown.createdBy === null ? "a person" : <AgentLink key="by" name={shown.createdBy} />,
                  ],
                  ["Made", <Time key="made" at={shown.createdAt} />],
                ]}
              />
            </PanelSection>
            <PanelSection title="Tickets">
              <ul className="flex flex-wrap gap-x-4 gap-y-1">
                {TICKET_STATUSES.map(([status]) => (
                  <li key={status} className="flex items-center gap-1.5">
                    <StatusMark status={status} />
                    <span className="font-semibold">{shown.tickets[status].toLocaleString("en")}</span>
                  </li>
                ))}
              </ul>
            </PanelSection>
            <ProjectNotes project={shown} />
          </>
        )}
      </QueryView>
    </SidePanel>
  );
}

function More({ project: { key, status, revision } }: { project: ProjectView }) {
  const confirm = useConfirm();
  const isAdmin = useHasRole("admin");
  const change = useAction({
    run: (client, edit: ProjectEdit) =>
      client.patch<ProjectAnswer>(joinPath("projects", key), { ...edit, revision }),
    successMessage: "Saved",
    invalidates: ["/projects", "/tickets"],
  });
  const archive = async () => {
    const isConfirmed = await confirm({
      title: `Archive ${key}?`,
      description:
        "It can still be read and searched, but nothing in it can be changed, by agents or people, until it is active again.",
      action: "Archive",
    });
    if (isConfirmed) await change.run({ status: "archived" });
  };
  if (!isAdmin) return null;
  return (
    <Menu
      label={`More about ${key}`}
      items={[
        status === "active"
          ? { label: "Archive …", onSelect: () => void archive() }
          : { label: "Make it active again", onSelect: () => void change.run({ status: "active" }) },
      ]}
    />
  );
}
