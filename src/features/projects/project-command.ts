import type { CommandRun } from "../../contract/define-command.ts";
import type { done } from "../../contract/define-route.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Infer } from "../../contract/shape.ts";
import { path, query } from "../../lib/http/api-path.ts";
import { ago } from "../../lib/terminal/ago.ts";
import { counted } from "../../lib/terminal/counted.ts";
import { type PageOptions, pageNote } from "../../lib/terminal/page-note.ts";
import { printable } from "../../lib/terminal/printable.ts";
import { fields, table } from "../../lib/terminal/table.ts";
import type { NoteList, ProjectAnswer, ProjectEdit, ProjectList, ProjectView } from "./contract.ts";

export async function listProjects(
  run: CommandRun,
  options: PageOptions & { archived?: boolean; all?: boolean },
): Promise<undefined> {
  const { archived, all, limit, offset } = options;
  const status = all ? undefined : archived ? "archived" : "active";
  const answer = await run.get<ProjectList>(`/api/projects${query({ status, limit, offset })}`);
  const rows = answer.projects.map((project) => [
    project.key,
    project.name,
    project.status,
    ticketsText(project),
    project.notes,
    ago(project.updatedAt, Date.now()),
  ]);
  const none = archived
    ? "No project is archived.\n"
    : "No projects yet. Create one: toolkeep project create NAME (--all lists archived ones)\n";
  run.print(
    answer,
    answer.total === 0
      ? none
      : table(["KEY", "NAME", "STATUS", "TICKETS", "NOTES", "CHANGED"], rows, run.columns) +
          pageNote(options, rows.length, answer.total),
  );
}

export async function showProject(run: CommandRun, name: string): Promise<undefined> {
  const answer = await run.get<ProjectAnswer>(path`/api/projects/${name}`);
  const { project } = answer;
  const facts = fields([
    ["key", project.key],
    ["name", project.name],
    ["status", project.status],
    ["tickets", ticketsText(project)],
    ["notes", project.notes],
    ["by", project.createdBy ?? "a person"],
    ["changed", ago(project.updatedAt, Date.now())],
  ]);
  const about = project.description === "" ? "" : `\n${printable(project.description)}\n`;
  run.print(
    answer,
    `${facts}${about}\nNext: toolkeep ticket list --project ${project.key} · toolkeep project notes ${project.key}\n`,
  );
}

export async function createProject(
  run: CommandRun,
  name: string,
  options: { key?: string; description?: string },
): Promise<undefined> {
  const body = {
    name,
    ...(options.key !== undefined && { key: options.key }),
    ...(options.description !== undefined && {
      description: await run.readText(options.description),
    }),
  };
  const answer = await run.send<ProjectAnswer>("POST", "/api/projects", body);
  const { key } = answer.project;
  run.print(
    answer,
    `Created project ${key}.\nNext: toolkeep ticket create TITLE --project ${key} · agents see it with the toolbox code: toolkeep agent edit AGENT --toolbox code\n`,
  );
}

export async function editProject(
  run: CommandRun,
  name: string,
  options: { name?: string; description?: string; status?: string },
): Promise<undefined> {
  const { description, ...rest } = options;
  const change = {
    ...(rest.name !== undefined && { name: rest.name }),
    ...(rest.status !== undefined && { status: rest.status as ProjectView["status"] }),
    ...(description !== undefined && { description: await run.readText(description) }),
  };
  if (Object.keys(change).length === 0)
    throw new ToolkeepError("BAD_USAGE", "nothing to change; give --name, --description or --status");
  const answer = await changeProject(run, name, change);
  run.print(answer, `Changed project ${answer.project.key}.\n`);
}

export async function archiveProject(run: CommandRun, name: string): Promise<undefined> {
  const answer = await changeProject(run, name, { status: "archived" });
  const { key } = answer.project;
  run.print(answer, `Archived project ${key}. Back again: toolkeep project edit ${key} --status active\n`);
}

export async function deleteProject(
  run: CommandRun,
  name: string,
  options: { force?: boolean },
): Promise<undefined> {
  const answer = await run.send<Infer<typeof done>>(
    "DELETE",
    `${path`/api/projects/${name}`}${query({ force: options.force })}`,
  );
  run.print(answer, `Deleted project ${name}.\n`);
}

export async function showNotes(
  run: CommandRun,
  name: string,
  words: string[],
  options: PageOptions & { tag?: string },
): Promise<undefined> {
  const { tag, limit, offset } = options;
  const text = words.length === 0 ? undefined : words.join(" ");
  const answer = await run.get<NoteList>(
    `${path`/api/projects/${name}/notes`}${query({ text, tag, limit, offset })}`,
  );
  const shown = answer.notes.map((note) => {
    const tags = note.tags.length === 0 ? "" : ` [${note.tags.join(", ")}]`;
    const by = note.createdBy ?? "a person";
    return `${printable(note.title)}${tags}\n${note.id}, by ${by}, ${ago(note.updatedAt, Date.now())}\n\n${printable(note.body)}\n`;
  });
  const none =
    text === undefined && tag === undefined
      ? "No notes yet. Agents add them with add_project_note; toolkeep call add_project_note does, too.\n"
      : "No note fits. Try other words.\n";
  run.print(
    answer,
    answer.total === 0 ? none : shown.join("\n") + pageNote(options, shown.length, answer.total),
  );
}

function changeProject(run: CommandRun, name: string, change: ProjectEdit): Promise<ProjectAnswer> {
  return run.send<ProjectAnswer>("PATCH", path`/api/projects/${name}`, change);
}

/** `3 unfinished of 5 tickets`. */
function ticketsText({ tickets }: ProjectView): string {
  const all = Object.values(tickets).reduce((sum, more) => sum + more, 0);
  return `${all - tickets.done - tickets.cancelled} unfinished of ${counted(all, "ticket")}`;
}
