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
import { countUnfinished, ProjectStatus } from "./projects.tsx";
import { StatusMark, TICKET_STATUSES } from "./status-labels.tsx";
import { AgentLink } from "./task-panel.tsx";

/** One project: its tickets by status, and its notes. */
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
              View tickets ({countUnfinished(project)})
            </ButtonLink>
            <MoreMenu project={project} />
          </>
        )
      }
    >
      <QueryView query={answer}>
        {({ project: loaded }) => (
          <>
            <PanelSection>
              {loaded.description !== "" && (
                <p className="mb-3">
                  <UntrustedText text={loaded.description} max={2_000} />
                </p>
              )}
              <KeyValues
                pairs={[
                  [
                    "Key",
                    <span key="key" className="font-mono text-xs">
                      {loaded.key}
                    </span>,
                  ],
                  ["Status", <ProjectStatus key="status" status={loaded.status} />],
                  [
                    "Created by",
                    loaded.createdBy === null ? "A person" : <AgentLink key="by" name={loaded.createdBy} />,
                  ],
                  ["Created", <Time key="created" at={loaded.createdAt} />],
                ]}
              />
            </PanelSection>
            <PanelSection title="Tickets">
              <ul className="flex flex-wrap gap-x-4 gap-y-1">
                {TICKET_STATUSES.map(([status]) => (
                  <li key={status} className="flex items-center gap-1.5">
                    <StatusMark status={status} />
                    <span className="font-semibold">{loaded.tickets[status].toLocaleString("en")}</span>
                  </li>
                ))}
              </ul>
            </PanelSection>
            <ProjectNotes project={loaded} />
          </>
        )}
      </QueryView>
    </SidePanel>
  );
}

function MoreMenu({ project: { key, status, revision } }: { project: ProjectView }) {
  const confirm = useConfirm();
  const isAdmin = useHasRole("admin");
  const change = useAction({
    run: (client, edit: ProjectEdit) =>
      client.patch<ProjectAnswer>(joinPath("projects", key), { ...edit, revision }),
    successMessage: "Saved",
    invalidates: ["/projects", "/tickets"],
  });
  const confirmArchive = async () => {
    const isConfirmed = await confirm({
      title: `Archive ${key}?`,
      description:
        "You can still read and search it, but neither agents nor people can change anything in it until you reactivate it.",
      action: "Archive",
    });
    if (isConfirmed) await change.run({ status: "archived" });
  };
  if (!isAdmin) return null;
  return (
    <Menu
      label={`More actions for ${key}`}
      items={[
        status === "active"
          ? { label: "Archive…", onSelect: () => void confirmArchive() }
          : { label: "Reactivate", onSelect: () => void change.run({ status: "active" }) },
      ]}
    />
  );
}
