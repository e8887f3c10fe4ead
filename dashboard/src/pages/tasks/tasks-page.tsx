import type { ReactNode } from "react";
import { joinPath } from "../../api/client.ts";
import { urlWith, useUrlState } from "../../app/location.ts";
import { NotFound } from "../../app/not-found.tsx";
import type { PageProps } from "../../app/routes.ts";
import { RequireRole } from "../../app/session.tsx";
import { ButtonLink } from "../../ui/link.tsx";
import { Page as PageFrame } from "../../ui/page.tsx";
import { TabBar } from "../../ui/tabs.tsx";
import { NewProject } from "./new-project.tsx";
import { NewTask } from "./new-task.tsx";
import { NewTicket } from "./new-ticket.tsx";
import { ProjectPanel } from "./project-panel.tsx";
import { Projects } from "./projects.tsx";
import { TaskPanel } from "./task-panel.tsx";
import { TaskTable } from "./task-table.tsx";
import { TicketPanel } from "./ticket-panel.tsx";
import { Tickets } from "./tickets.tsx";

const VIEWS = [
  ["given", "Tasks"],
  ["tickets", "Tickets"],
  ["projects", "Projects"],
] as const;

type View = (typeof VIEWS)[number][0];

/** The work of agents: tasks for one sub-agent, and shared projects with tickets and notes. */
export function Page({ params: { part = "given", id } }: PageProps) {
  const view = part as View;
  const [isNew, setIsNew] = useUrlState("new");
  const close = () => setIsNew("");
  if (!VIEWS.some(([known]) => known === part)) return <NotFound />;
  return (
    <PageFrame
      title="Tasks"
      description="What your agents work on, and how far they are."
      actions={<CreateButton part={view} />}
      panel={renderPanel(view, id)}
    >
      <TabBar
        label="Task views"
        selected={view}
        tabs={VIEWS.map(([id, label]) => ({ id, label, to: viewUrl(id) }))}
      />
      {view === "given" && <TaskTable selected={id} />}
      {view === "tickets" && <Tickets selected={id} />}
      {view === "projects" && <Projects selected={id} />}
      {isNew !== "" && (
        <RequireRole role={view === "projects" ? "admin" : "operator"}>
          {view === "given" && <NewTask onClose={close} />}
          {view === "tickets" && <NewTicket onClose={close} />}
          {view === "projects" && <NewProject onClose={close} />}
        </RequireRole>
      )}
    </PageFrame>
  );
}

const CREATE_LABELS: Readonly<Record<View, string>> = {
  given: "Create task",
  tickets: "Create ticket",
  projects: "Create project",
};

function CreateButton({ part }: { part: View }) {
  return (
    <RequireRole role={part === "projects" ? "admin" : "operator"}>
      <ButtonLink look="primary" icon="plus" to={urlWith({ new: "yes" })}>
        {CREATE_LABELS[part]}
      </ButtonLink>
    </RequireRole>
  );
}

function viewUrl(part: View): string {
  return part === "given" ? "/tasks" : joinPath("tasks", part);
}

function renderPanel(part: View, id: string | undefined): ReactNode {
  if (id === undefined) return null;
  if (part === "tickets") return <TicketPanel key={id} name={id} />;
  if (part === "projects") return <ProjectPanel key={id} name={id} />;
  return <TaskPanel key={id} id={id} />;
}
