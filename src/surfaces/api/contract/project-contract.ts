/** The part of the contract about projects with their tickets and notes. */
import type { NoteInput, NoteView } from "../../../features/projects/notes.ts";
import type { ProjectChange, ProjectInput, ProjectView } from "../../../features/projects/projects.ts";
import type {
  CommentView,
  TicketInput,
  TicketStatusFilter,
  TicketSummary,
  TicketView,
} from "../../../features/projects/tickets.ts";

export type {
  CommentView,
  NoteInput,
  NoteView,
  ProjectInput,
  ProjectView,
  TicketInput,
  TicketStatusFilter,
  TicketSummary,
  TicketView,
};

/** A change is refused (409) where something no longer has the revision given. */
interface Revised {
  readonly revision?: number;
}

/** `total` of every list: how many there are in all, beside those of this page. */
export interface ProjectList {
  readonly projects: readonly ProjectView[];
  readonly total: number;
}

export interface ProjectAnswer {
  readonly project: ProjectView;
}

/** `PATCH /api/projects/NAME` */
export interface ProjectEdit extends ProjectChange, Revised {}

export interface NoteList {
  readonly notes: readonly NoteView[];
  readonly total: number;
}

export interface NoteAnswer {
  readonly note: NoteView;
}

export interface NoteEdit extends Partial<NoteInput>, Revised {}

/** `GET /api/tickets`, newest first. */
export interface TicketList {
  readonly tickets: readonly TicketSummary[];
  readonly total: number;
}

export interface TicketAnswer {
  readonly ticket: TicketView;
}

/** `POST /api/tickets` */
export interface NewTicket extends TicketInput {
  readonly project: string;
}

export interface TicketEdit extends Partial<TicketInput>, Revised {}

/** Oldest first. */
export interface CommentList {
  readonly comments: readonly CommentView[];
  readonly total: number;
}

export interface CommentAnswer {
  readonly comment: CommentView;
}
