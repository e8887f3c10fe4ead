import { z } from "zod";
import { failed, grantedTool, output } from "../../contract/define-native-tool.ts";
import { optional } from "../../contract/shape.ts";
import type { Tool } from "../../contract/tool.ts";
import { iso } from "../../lib/text/time-text.ts";
import { outputPage, pageArguments, pageRequest } from "../../machine/db/query/paging.ts";
import { LONGEST, MAX_LABELS, type NoteView } from "./contract.ts";
import { authorOf, type ProjectToolDeps, projectName, seenRevision } from "./projects-tools.ts";

const DOMAIN = { domain: "projects", scope: "tools" } as const;
/** Notes come with their bodies, so a page of them is shorter than one of tickets. */
const MOST_FOUND = 20;

const noteId = z.string().min(1).max(100).describe("The note's id.");
const tag = z.string().min(1).max(LONGEST.label);
const title = z.string().min(1).max(LONGEST.title).describe("One line that says what it is about.");
const body = z.string().min(1).max(LONGEST.note).describe("The note, as Markdown.");
const tags = z.array(tag).max(MAX_LABELS).describe("All of its tags.");

export function projectNoteTools({ projects: { notes } }: ProjectToolDeps): readonly Tool[] {
  return [
    grantedTool({
      ...DOMAIN,
      name: "add_project_note",
      title: "Add a note to a project",
      description:
        "Keep something worth knowing about a project: a decision and its reasons, how something is done, where something is. Search first: a note that exists is better changed.",
      input: z.object({ project: projectName, title, body, ...optional({ tags }) }),
      async run({ project, ...input }, { caller }) {
        const note = await notes.create(project, input, authorOf(caller));
        const said = `Added note ${note.id} (${note.title}) to ${note.project}.`;
        return output(said, { note: shownNote(note) }, { wrote: [note.id] });
      },
    }),

    grantedTool({
      ...DOMAIN,
      name: "search_project_notes",
      title: "Search the notes of a project",
      description: `Find notes of a project by words, best first; without a query all of them, newest first. At most ${MOST_FOUND} at a time, with their whole text.`,
      input: z.object({
        project: projectName,
        ...optional({
          query: z.string().max(LONGEST.query).describe("Words to look for."),
          tag: tag.describe("Only those with this tag."),
        }),
        ...pageArguments,
      }),
      flags: { readOnly: true, concurrencySafe: true },
      async run({ project, query, tag, ...page }) {
        const request = pageRequest({ limit: 10, ...page }, MOST_FOUND);
        const sought = { ...(query !== undefined && { text: query }), ...(tag !== undefined && { tag }) };
        const found = await notes.search(project, sought, request);
        const none =
          query || tag
            ? "No note of the project fits."
            : "The project has no notes; add_project_note adds one.";
        const gave = found.items.map(({ id }) => id);
        const shown = found.items.map(shownNote);
        return outputPage(found, request.offset, { line: noteText, none }, { notes: shown }, { gave });
      },
    }),

    grantedTool({
      ...DOMAIN,
      name: "update_project_note",
      title: "Change a note of a project",
      description:
        "Change a note of a project so that it stays right; what is left out stays, tags are replaced whole.",
      input: z.object({
        project: projectName,
        note: noteId,
        ...optional({ title, body, tags, revision: seenRevision }),
      }),
      async run({ project, note: id, revision, ...change }) {
        if (Object.keys(change).length === 0) return failed("Nothing to change was given.");
        const note = await notes.update(project, id, change, revision);
        const said = `Changed note ${note.id} (${note.title}).`;
        return output(said, { note: shownNote(note) }, { gave: [note.id], wrote: [note.id] });
      },
    }),

    grantedTool({
      ...DOMAIN,
      name: "delete_project_note",
      title: "Delete a note of a project",
      description: "Delete a note of a project, for good: one that is wrong, or that another one replaces.",
      input: z.object({ project: projectName, note: noteId }),
      flags: { destructive: true },
      async run({ project, note: id }) {
        const note = await notes.delete(project, id);
        return output(`Deleted note ${note.id} (${note.title}).`, { note: note.id, deleted: true });
      },
    }),
  ];
}

function noteText({ id, title, body, tags, createdBy, updatedAt, revision }: NoteView): string {
  const tagged = tags.length === 0 ? "" : `, tags ${tags.join(", ")}`;
  const by = createdBy ?? "a person";
  return `## ${title}\n${id}, by ${by}, changed at ${iso(updatedAt)}, revision ${revision}${tagged}\n\n${body}\n`;
}

function shownNote({ createdBy, createdAt, updatedAt, ...note }: NoteView) {
  return { ...note, created_by: createdBy, created_at: iso(createdAt), updated_at: iso(updatedAt) };
}
