import type { ReactNode } from "react";
import { pathOf } from "../../api/client.ts";
import { here, useUrlState } from "../../app/location.ts";
import type { PageProps } from "../../app/routes.ts";
import { For } from "../../app/session.tsx";
import { classes } from "../../ui/classes.ts";
import { ButtonLink, Link } from "../../ui/link.tsx";
import { Page as PageFrame } from "../../ui/page.tsx";
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
  const shown: Part = PARTS.some(([known]) => known === part) ? (part as Part) : "given";
  const [isNew, setNew] = useUrlState("new");
  const close = () => setNew("");
  return (
    <PageFrame
      title="Tasks"
      about="What agents work on, and how far they are."
      actions={<Actions part={shown} />}
      panel={panelOf(shown, id)}
    >
      <nav aria-label="Parts of tasks" className="flex gap-1 overflow-x-auto border-b border-line px-4">
        {PARTS.map(([known, label]) => (
          <Link
            key={known}
            to={listOf(known)}
            aria-current={known === shown ? "page" : undefined}
            className={classes(
              "-mb-px shrink-0 border-b-2 px-2 py-2 font-medium whitespace-nowrap",
              known === shown ? "border-accent text-text" : "border-transparent text-soft hover:text-text",
            )}
          >
            {label}
          </Link>
        ))}
      </nav>
      {shown === "given" && <GivenTasks selected={id} />}
      {shown === "tickets" && <Tickets selected={id} />}
      {shown === "projects" && <Projects selected={id} />}
      {isNew !== "" && (
        <For role={shown === "projects" ? "admin" : "operator"}>
          {shown === "given" && <NewTask onClose={close} />}
          {shown === "tickets" && <NewTicket onClose={close} />}
          {shown === "projects" && <NewProject onClose={close} />}
        </For>
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
    <For role={part === "projects" ? "admin" : "operator"}>
      <ButtonLink look="primary" icon="plus" to={here({ new: "yes" })}>
        {NEW[part]}
      </ButtonLink>
    </For>
  );
}

function listOf(part: Part): string {
  return part === "given" ? "/tasks" : pathOf("tasks", part);
}

function panelOf(part: Part, id: string | undefined): ReactNode {
  if (id === undefined) return null;
  if (part === "tickets") return <TicketPanel key={id} name={id} />;
  if (part === "projects") return <ProjectPanel key={id} name={id} />;
  return <TaskPanel key={id} id={id} />;
}
