import { ToolkeepError } from "../../contract/errors.ts";
import { pick } from "../../contract/shape.ts";
import type { Page, PageRequest } from "../../machine/db/query/page.ts";
import {
  type NoteChange,
  type NoteInput,
  type NoteRecord,
  type NoteView,
  noteView,
  type ProjectRecord,
} from "./contract.ts";
import type { Author, ProjectDeps } from "./project-deps.ts";
import { cleanLabels, createTexts, unlessChanged } from "./project-text.ts";
import { writable } from "./writable.ts";

export interface NoteQuery {
  /** Absent or blank: all of them, newest first. */
  readonly text?: string;
  readonly tag?: string;
}

/** What is worth knowing about a project. */
export interface Notes {
  /** Those that the query finds, best first. */
  search(project: string, query: NoteQuery, page: PageRequest): Promise<Page<NoteView>>;
  get(project: string, id: string): Promise<NoteView>;
  create(project: string, input: NoteInput, by: Author): Promise<NoteView>;
  /** Throws CHANGED when it no longer has the `revision` given. */
  update(project: string, id: string, change: NoteChange, revision?: number): Promise<NoteView>;
  /** Resolves with what it was. */
  delete(project: string, id: string): Promise<NoteView>;
}

/** As many as one list of the store gives: a search looks at all of them. */
export const MAX_NOTES = 500;
const ALL = { limit: MAX_NOTES, offset: 0 };

export function createNotes(
  { tables, agents, rank, redact, events, clock, newId }: ProjectDeps,
  findProject: (project: string) => Promise<ProjectRecord>,
): Notes {
  const texts = createTexts(redact);
  const view = (note: NoteRecord, { key }: ProjectRecord): NoteView =>
    pick(noteView, {
      ...note,
      createdBy: note.createdBy === null ? null : agents.name(note.createdBy),
      project: key,
    });

  async function find(name: string, id: string) {
    const project = await findProject(name);
    const note = await tables.notes.find({ projectId: project.id, id });
    if (note) return { note, project };
    throw new ToolkeepError(
      "NOT_FOUND",
      `project ${project.key} has no note ${JSON.stringify(id.slice(0, 100))}; search its notes to see what there is`,
    );
  }

  const told = (note: NoteRecord, project: ProjectRecord): NoteView => {
    events.emit("project.changed", { project: project.key });
    return view(note, project);
  };

  return {
    async search(name, { text = "", tag }, { limit, offset }) {
      const project = await findProject(name);
      const { items } = await tables.notes.page({ projectId: project.id }, ["-createdAt", "-id"], ALL);
      const wanted = tag?.trim().toLowerCase();
      const tagged = wanted === undefined ? items : items.filter(({ tags }) => tags.includes(wanted));
      const ranked = text.trim() === "" ? undefined : await rank(text, tagged.map(searched));
      const found = ranked?.map((position) => tagged[position]!) ?? tagged;
      return {
        items: found.slice(offset, offset + limit).map((note) => view(note, project)),
        total: found.length,
      };
    },

    async get(name, id) {
      const { note, project } = await find(name, id);
      return view(note, project);
    },

    async create(name, input, by) {
      const project = writable(await findProject(name));
      const now = clock();
      const note: NoteRecord = {
        id: newId("note"),
        projectId: project.id,
        title: texts.required("the title of a note", input.title),
        body: texts.required("a note", input.body),
        tags: cleanLabels("tag", input.tags ?? []),
        createdBy: by,
        revision: 1,
        createdAt: now,
        updatedAt: now,
      };
      const room = { most: MAX_NOTES, among: { projectId: project.id } };
      if (!(await tables.notes.insert(note, room))) {
        throw new ToolkeepError(
          "TOO_MANY",
          `project ${project.key} has ${MAX_NOTES} notes, which is the most; delete or merge some`,
          { remedy: "Delete notes that are no longer of use, or make one of several." },
        );
      }
      return told(note, project);
    },

    async update(name, id, { title, body, tags }, revision) {
      const { note, project } = await find(name, id);
      writable(project);
      const change = {
        ...(title !== undefined && { title: texts.required("the title of a note", title) }),
        ...(body !== undefined && { body: texts.required("a note", body) }),
        ...(tags !== undefined && { tags: cleanLabels("tag", tags) }),
        updatedAt: clock(),
      };
      const updated = await tables.notes.change(note.id, change, revision);
      return told(unlessChanged(`note ${id}`, updated, revision), project);
    },

    async delete(name, id) {
      const { note, project } = await find(name, id);
      writable(project);
      await tables.notes.delete({ id: note.id });
      return told(note, project);
    },
  };
}

/** Tags are searched as if they stood in the title. */
function searched({ title, body, tags }: NoteRecord) {
  return { title: [title, ...tags].join(" "), body };
}
