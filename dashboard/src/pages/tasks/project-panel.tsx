import { pathOf } from "../../api/client.ts";
import type { ProjectAnswer, ProjectEdit, ProjectView } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { here } from "../../app/location.ts";
import { useMay } from "../../app/session.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { ButtonLink } from "../../ui/link.tsx";
import { Menu } from "../../ui/menu.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { ProjectNotes } from "./project-notes.tsx";
import { leftIn, ProjectStatus } from "./projects.tsx";
import { StatusMark, TICKET_STATUSES } from "./status-words.tsx";
import { AgentLink } from "./task-panel.tsx";

/** One project: how far it is, and what is worth knowing about it. */
export function ProjectPanel({ name }: { name: string }) {
  const answer = useGet<ProjectAnswer>(pathOf("projects", name));
  const project = answer.data?.project;
  return (
    <SidePanel
      title={<Untrusted text={project?.name ?? name} line />}
      back={here({}, "/tasks/projects")}
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
      <Loaded query={answer}>
        {({ project: shown }) => (
          <>
            <PanelSection>
              {shown.description !== "" && (
                <p className="mb-3">
                  <Untrusted text={shown.description} max={2_000} />
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
      </Loaded>
    </SidePanel>
  );
}

function More({ project: { key, status, revision } }: { project: ProjectView }) {
  const confirm = useConfirm();
  const isAdmin = useMay("admin");
  const change = useAction({
    run: (client, edit: ProjectEdit) =>
      client.patch<ProjectAnswer>(pathOf("projects", key), { ...edit, revision }),
    done: "Saved",
    changes: ["/projects", "/tickets"],
  });
  const archive = async () => {
    const isSure = await confirm({
      title: `Archive ${key}?`,
      what: "It can still be read and searched, but nothing in it can be changed, by agents or people, until it is active again.",
      action: "Archive",
    });
    if (isSure) await change.run({ status: "archived" });
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
