import type { ReactNode } from "react";
import { joinPath } from "../../api/client.ts";
import { urlWith, useUrlState } from "../../app/location.ts";
import { NotFound } from "../../app/not-found.tsx";
import type { PageProps } from "../../app/routes.ts";
import { RequireRole } from "../../app/session.tsx";
import { ButtonLink } from "../../ui/link.tsx";
import { Page as PageFrame } from "../../ui/page.tsx";
import { TabBar } from "../../ui/tabs.tsx";
import { GivenTasks } from "./given-tasks.tsx";
import { NewProject } from "./new-project.tsx";
import { NewTask } from "./new-task.tsx";
import { NewTicket } from "./new-ticket.tsx";
import { ProjectPanel } from "./project-panel.tsx";
import { Projects } from "./projects.tsx";
import { TaskPanel } from "./task-panel.tsx";
import { TicketPanel } from "./ticket-panel.tsx";
import { Tickets } from "./tickets.tsx";

const PARTS = [
  ["given", "Given to agents"],
  ["tickets", "Tickets"],
  ["projects", "Projects"],
] as const;

type Part = (typeof PARTS)[number][0];

/** What agents work on: tasks that one was given, and projects that they share, with tickets and notes. */
export function Page({ params: { part = "given", id } }: PageProps) {
  const shown = part as Part;
  const [isNew, setNew] = useUrlState("new");
  const close = () => setNew("");
  if (!PARTS.some(([known]) => known === part)) return <NotFound />;
  return (
    <PageFrame
      title="Tasks"
      description="What agents work on, and how far they are."
      actions={<Actions part={shown} />}
      panel={panelOf(shown, id)}
    >
      <TabBar
        label="Parts of tasks"
        selected={shown}
        tabs={PARTS.map(([id, label]) => ({ id, label, to: listOf(id) }))}
      />
      {shown === "given" && <GivenTasks selected={id} />}
      {shown === "tickets" && <Tickets selected={id} />}
      {shown === "projects" && <Projects selected={id} />}
      {isNew !== "" && (
        <RequireRole role={shown === "projects" ? "admin" : "operator"}>
          {shown === "given" && <NewTask onClose={close} />}
          {shown === "tickets" && <NewTicket onClose={close} />}
          {shown === "projects" && <NewProject onClose={close} />}
        </RequireRole>
      )}
    </PageFrame>
  );
}

const NEW: Readonly<Record<Part, string>> = {
  given: "Give a task",
  tickets: "New ticket",
  projects: "New project",
};

function Actions({ part }: { part: Part }) {
  return (
    <RequireRole role={part === "projects" ? "admin" : "operator"}>
      <ButtonLink look="primary" icon="plus" to={urlWith({ new: "yes" })}>
        {NEW[part]}
      </ButtonLink>
    </RequireRole>
  );
}

function listOf(part: Part): string {
  return part === "given" ? "/tasks" : joinPath("tasks", part);
}

function panelOf(part: Part, id: string | undefined): ReactNode {
  if (id === undefined) return null;
  if (part === "tickets") return <TicketPanel key={id} name={id} />;
  if (part === "projects") return <ProjectPanel key={id} name={id} />;
  return <TaskPanel key={id} id={id} />;
}
