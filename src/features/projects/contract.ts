/** The shapes of projects, tickets, comments and notes: records, what people and agents send, what they get. */

import { z } from "zod";
import { count, type Infer, optional, text, time } from "../../contract/shape.ts";

/** How long texts may be, whoever writes them. */
export const LONGEST = {
  /** The name of a project. */
  name: 200,
  key: 10,
  /** Of a project or a ticket. */
  description: 20_000,
  /** Of a ticket or a note. */
  title: 300,
  comment: 10_000,
  note: 10_000,
  label: 40,
  query: 500,
} as const;

/** Labels of a ticket, tags of a note. */
export const MAX_LABELS = 20;
/** As many as one list gives, so that every project can be found by its name. */
export const MAX_PROJECTS = 500;

const revision = z.int().min(1).describe("Grows with every change.");
const author = z.string().nullable().describe("The agent that made it; null: a person did.");
const total = count.describe("How many there are in all.");
const kept = { id: z.string(), createdBy: author, revision, createdAt: time, updatedAt: time };

export const projectStatus = z.enum(["active", "archived"]);
export const ticketStatus = z.enum(["open", "in_progress", "blocked", "review", "done", "cancelled"]);
export const ticketPriority = z.enum(["low", "normal", "high", "urgent"]);
/** One status, everything but done and cancelled, or any. */
export const ticketFilter = z.enum([...ticketStatus.options, "unfinished", "any"]);

export type TicketStatus = z.infer<typeof ticketStatus>;
export type TicketStatusFilter = z.infer<typeof ticketFilter>;

// Records

export const project = z.object({
  ...kept,
  /** `TK`: tickets are named after it, so it never changes. */
  key: z.string(),
  name: z.string(),
  description: z.string(),
  status: projectStatus,
  /** The number of its newest ticket. No number is given twice, also not after a deletion. */
  lastNumber: z.int(),
});

export const ticket = z.object({
  ...kept,
  projectId: z.string(),
  /** `12` of `TK-12`. */
  number: z.int(),
  title: z.string(),
  description: z.string(),
  status: ticketStatus,
  priority: ticketPriority,
  /** An agent; null also after it was deleted. */
  assigneeId: z.string().nullable(),
  labels: z.array(z.string()),
});

export const comment = z.object({
  id: z.string(),
  ticketId: z.string(),
  createdBy: author,
  text: z.string(),
  createdAt: time,
});

/** Something worth knowing about a project. */
export const note = z.object({
  ...kept,
  projectId: z.string(),
  title: z.string(),
  body: z.string(),
  tags: z.array(z.string()),
});

export type ProjectRecord = Infer<typeof project>;
export type TicketRecord = Infer<typeof ticket>;
export type CommentRecord = Infer<typeof comment>;
export type NoteRecord = Infer<typeof note>;

// Requests

const description = z.string().max(LONGEST.description);
const label = text(LONGEST.label);

export const newProject = z.object({
  name: text(LONGEST.name),
  ...optional({ key: text(200), description }),
});
export const projectChange = z.object(
  optional({ name: text(LONGEST.name), description, status: projectStatus }),
);

const ticketFields = {
  description,
  status: ticketStatus,
  priority: ticketPriority,
  assignee: text(200).nullable(),
  labels: z.array(label).max(MAX_LABELS),
};
export const newTicket = z.object({ title: text(LONGEST.title), ...optional(ticketFields) });
export const ticketChange = z.object(optional({ title: text(LONGEST.title), ...ticketFields }));

const noteFields = { title: text(LONGEST.title), body: text(LONGEST.note) };
const tags = z.array(text(200)).max(MAX_LABELS);
export const newNote = z.object({ ...noteFields, ...optional({ tags }) });
export const noteChange = z.object(optional({ ...noteFields, tags }));

export type ProjectInput = Infer<typeof newProject>;
export type ProjectChange = Infer<typeof projectChange>;
export type TicketInput = Infer<typeof newTicket>;
export type TicketChange = Infer<typeof ticketChange>;
export type NoteInput = Infer<typeof newNote>;
export type NoteChange = Infer<typeof noteChange>;

/** With the revision that was read: the change is refused where it is another by now. */
const revised = optional({ revision: z.int().min(1) });
export const projectEdit = projectChange.extend(revised);
export const ticketEdit = ticketChange.extend(revised);
export const noteEdit = noteChange.extend(revised);
export const newTicketIn = z.object({ project: text(200), ...newTicket.shape });

export type ProjectEdit = Infer<typeof projectEdit>;
export type TicketEdit = Infer<typeof ticketEdit>;
export type NoteEdit = Infer<typeof noteEdit>;
export type NewTicket = Infer<typeof newTicketIn>;

// Answers: explicit picks, so that nothing of a record slips out.

const KEPT = { id: true, createdBy: true, revision: true, createdAt: true, updatedAt: true } as const;

export const projectView = project
  .pick({ ...KEPT, key: true, name: true, description: true, status: true })
  .extend({
    tickets: z.object({
      open: count,
      in_progress: count,
      blocked: count,
      review: count,
      done: count,
      cancelled: count,
    }),
    notes: count,
  })
  .meta({ id: "ProjectView", description: "`tickets`: how many there are of each status." });

export const ticketSummary = ticket
  .pick({ ...KEPT, number: true, title: true, status: true, priority: true, labels: true })
  .extend({
    ref: z.string().describe("`TK-12`"),
    project: z.string().describe("The key of its project."),
    assignee: z.string().nullable().describe("The name of an agent."),
    comments: count.describe("How many there are."),
  })
  .meta({ id: "TicketSummary" });

export const ticketView = ticketSummary.extend({ description: z.string() });

export const commentView = comment
  .pick({ id: true, text: true, createdBy: true, createdAt: true })
  .meta({ id: "CommentView" });

export const noteView = note
  .pick({ ...KEPT, title: true, body: true, tags: true })
  .extend({ project: z.string().describe("The key of its project.") })
  .meta({ id: "NoteView" });

export type ProjectView = Infer<typeof projectView>;
export type TicketSummary = Infer<typeof ticketSummary>;
export type TicketView = Infer<typeof ticketView>;
export type CommentView = Infer<typeof commentView>;
export type NoteView = Infer<typeof noteView>;

export const projectList = z.object({ projects: z.array(projectView), total }).meta({ id: "ProjectList" });
export const projectAnswer = z.object({ project: projectView }).meta({ id: "ProjectAnswer" });
export const ticketList = z.object({ tickets: z.array(ticketSummary), total }).meta({ id: "TicketList" });
export const ticketAnswer = z.object({ ticket: ticketView }).meta({ id: "TicketAnswer" });
export const commentList = z.object({ comments: z.array(commentView), total }).meta({ id: "CommentList" });
export const commentAnswer = z.object({ comment: commentView }).meta({ id: "CommentAnswer" });
export const noteList = z.object({ notes: z.array(noteView), total }).meta({ id: "NoteList" });
export const noteAnswer = z.object({ note: noteView }).meta({ id: "NoteAnswer" });

export type ProjectList = Infer<typeof projectList>;
export type ProjectAnswer = Infer<typeof projectAnswer>;
export type TicketList = Infer<typeof ticketList>;
export type TicketAnswer = Infer<typeof ticketAnswer>;
export type CommentList = Infer<typeof commentList>;
export type CommentAnswer = Infer<typeof commentAnswer>;
export type NoteList = Infer<typeof noteList>;
export type NoteAnswer = Infer<typeof noteAnswer>;
