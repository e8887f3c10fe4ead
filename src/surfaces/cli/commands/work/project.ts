import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type {
  Done,
  NoteList,
  ProjectAnswer,
  ProjectEdit,
  ProjectList,
  ProjectView,
} from "../../../api/contract.ts";
import { printable } from "../../../daemon/log/printable.ts";
import { path, query } from "../../client/api-client.ts";
import { asksFirst, withYes } from "../../input/destructive.ts";
import { textInput } from "../../input/text-input.ts";
import { counted } from "../../print/counted.ts";
import { ago } from "../../print/duration.ts";
import { type PageOptions, pageNote, pageOptions } from "../../print/pages.ts";
import { fields, table } from "../../print/table.ts";
import type { Run, Shell } from "../../shell.ts";

export function projectCommand(shell: Shell): Command {
  const project = shell.group("project", "projects that agents and people work on together");

  pageOptions(
    project
      .leaf("list", "list the projects that are active", listProjects)
      .option("--archived", "only archived ones")
      .option("--all", "archived ones too"),
  );
  project.leaf("show <project>", "show a project by its key, id or name", showProject, "TK");
  project
    .leaf("create <name>", "create a project", createProject, "'Tool keeper' --key TK")
    .option(
      "--key <key>",
      "2 to 10 letters and digits that tickets are named after; made from the name unless given",
    )
    .option("--description <text>", "what it is about; - reads it from standard input");
  project
    .leaf(
      "edit <project>",
      "change a project; what is not given stays",
      editProject,
      "TK --name Toolkeep",
      "TK --status active",
    )
    .option("--name <name>", "what it is called")
    .option("--description <text>", "what it is about; - reads it from standard input")
    .option("--status <status>", "active or archived");
  project.leaf(
    "archive <project>",
    "archive a project: nothing in it can be changed until it is active again",
    archiveProject,
    "TK",
  );
  withYes(
    project
      .leaf(
        "delete <project>",
        "delete a project with its tickets and notes; archive it first unless it is empty",
        asksFirst((name) => `Delete project ${name} with its tickets and notes?`, deleteProject),
        "TK",
      )
      .option("--force", "also one that is active and not empty"),
  );
  pageOptions(
    project
      .leaf(
        "notes <project> [words...]",
        "show the notes of a project, or those that the words find",
        showNotes,
        "TK how to deploy",
      )
      .option("--tag <tag>", "only those with this tag"),
  );
  return project;
}

async function listProjects(
  run: Run,
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
      : table(["KEY", "NAME", "STATUS", "TICKETS", "NOTES", "CHANGED"], rows, run.terminal.columns) +
          pageNote(options, rows.length, answer.total),
  );
}

async function showProject(run: Run, name: string): Promise<undefined> {
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

async function createProject(
  run: Run,
  name: string,
  options: { key?: string; description?: string },
): Promise<undefined> {
  const body = {
    name,
    ...(options.key !== undefined && { key: options.key }),
    ...(options.description !== undefined && {
      description: await textInput(options.description, run.terminal),
    }),
  };
  const answer = await run.send<ProjectAnswer>("POST", "/api/projects", body);
  const { key } = answer.project;
  run.print(
    answer,
    `Created project ${key}.\nNext: toolkeep ticket create TITLE --project ${key} · agents see it with the toolbox code: toolkeep agent edit AGENT --toolbox code\n`,
  );
}

async function editProject(
  run: Run,
  name: string,
  options: { name?: string; description?: string; status?: string },
): Promise<undefined> {
  const { description, ...rest } = options;
  const change = {
    ...(rest.name !== undefined && { name: rest.name }),
    ...(rest.status !== undefined && { status: rest.status as ProjectView["status"] }),
    ...(description !== undefined && { description: await textInput(description, run.terminal) }),
  };
  if (Object.keys(change).length === 0)
    throw new ToolkeepError("BAD_USAGE", "nothing to change; give --name, --description or --status");
  const answer = await changeProject(run, name, change);
  run.print(answer, `Changed project ${answer.project.key}.\n`);
}

async function archiveProject(run: Run, name: string): Promise<undefined> {
  const answer = await changeProject(run, name, { status: "archived" });
  const { key } = answer.project;
  run.print(answer, `Archived project ${key}. Back again: toolkeep project edit ${key} --status active\n`);
}

async function deleteProject(run: Run, name: string, options: { force?: boolean }): Promise<undefined> {
  const answer = await run.send<Done>(
    "DELETE",
    `${path`/api/projects/${name}`}${query({ force: options.force })}`,
  );
  run.print(answer, `Deleted project ${name}.\n`);
}

async function showNotes(
  run: Run,
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

function changeProject(run: Run, name: string, change: ProjectEdit): Promise<ProjectAnswer> {
  return run.send<ProjectAnswer>("PATCH", path`/api/projects/${name}`, change);
}

/** `3 unfinished of 5 tickets`. */
function ticketsText({ tickets }: ProjectView): string {
  const all = Object.values(tickets).reduce((sum, more) => sum + more, 0);
  return `${all - tickets.done - tickets.cancelled} unfinished of ${counted(all, "ticket")}`;
}
