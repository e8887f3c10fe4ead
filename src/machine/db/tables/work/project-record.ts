/** Projects with their tickets and notes, as they are kept. What an agent made has its id in `createdBy`; null: a person. */

export interface ProjectRecord {
  readonly id: string;
  /** `TK`: tickets are named after it, so it never changes. */
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly status: "active" | "archived";
  /** The number of its newest ticket; no number is given twice, also not after a deletion. */
  readonly lastNumber: number;
  readonly createdBy: string | null;
  /** Grows with every change. */
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface TicketRecord {
  readonly id: string;
  readonly projectId: string;
  /** `12` of `TK-12`. */
  readonly number: number;
  readonly title: string;
  readonly description: string;
  readonly status: TicketStatus;
  readonly priority: TicketPriority;
  /** An agent; null also after it was deleted. */
  readonly assigneeId: string | null;
  readonly labels: readonly string[];
  readonly createdBy: string | null;
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const TICKET_STATUSES = ["open", "in_progress", "blocked", "review", "done", "cancelled"] as const;
export type TicketStatus = (typeof TICKET_STATUSES)[number];

export const TICKET_PRIORITIES = ["low", "normal", "high", "urgent"] as const;
export type TicketPriority = (typeof TICKET_PRIORITIES)[number];

export interface TicketCommentRecord {
  readonly id: string;
  readonly ticketId: string;
  readonly createdBy: string | null;
  readonly text: string;
  readonly createdAt: number;
}

/** Something worth knowing about a project. */
export interface ProjectNoteRecord {
  readonly id: string;
  readonly projectId: string;
  readonly title: string;
  readonly body: string;
  readonly tags: readonly string[];
  readonly createdBy: string | null;
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

/** A part of a list, and how long the list is. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/**
 * In all three: `create` keeps nothing where there are `most` already, whatever other processes create meanwhile. `update` raises the revision and resolves with what is kept now; with `revision` only what still has
 * that one is changed, and undefined says that somebody was faster.
 */
export interface ProjectStore {
  /** By key. */
  list(page: PageRequest & { status?: ProjectRecord["status"] }): Promise<Page<ProjectRecord>>;
  get(id: string): Promise<ProjectRecord | undefined>;
  byKey(key: string): Promise<ProjectRecord | undefined>;
  /** False: there are `most` already. */
  create(project: ProjectRecord, most?: number): Promise<boolean>;
  update(
    id: string,
    change: Partial<Pick<ProjectRecord, "name" | "description" | "status">> & { updatedAt: number },
    revision?: number,
  ): Promise<ProjectRecord | undefined>;
  /** Deletes its tickets, their comments and its notes with it. */
  delete(id: string): Promise<void>;
}

export interface TicketFilter extends PageRequest {
  readonly projectId?: string;
  readonly statuses?: readonly TicketStatus[];
  readonly priority?: TicketPriority;
  /** Null: those of nobody. */
  readonly assigneeId?: string | null;
  readonly label?: string;
  /** All of them occur in title or description, in whatever case. */
  readonly words?: readonly string[];
}

export type TicketChange = Partial<
  Pick<TicketRecord, "title" | "description" | "status" | "priority" | "assigneeId" | "labels">
> & { updatedAt: number };

export interface TicketStore {
  /** Newest first. */
  list(filter: TicketFilter): Promise<Page<TicketRecord>>;
  get(id: string): Promise<TicketRecord | undefined>;
  byNumber(projectId: string, number: number): Promise<TicketRecord | undefined>;
  /** Gives it the next number of its project; undefined: the project has `most` already. */
  create(ticket: Omit<TicketRecord, "number">, most?: number): Promise<TicketRecord | undefined>;
  update(id: string, change: TicketChange, revision?: number): Promise<TicketRecord | undefined>;
  /** Deletes its comments with it. */
  delete(id: string): Promise<void>;
  /** How many tickets of each status the projects have. */
  counts(
    projectIds: readonly string[],
  ): Promise<readonly { projectId: string; status: TicketStatus; count: number }[]>;
  /** Oldest first. */
  comments(ticketId: string, page: PageRequest): Promise<Page<TicketCommentRecord>>;
  /** False: the ticket has `most` already. */
  comment(comment: TicketCommentRecord, most?: number): Promise<boolean>;
  deleteComment(ticketId: string, id: string): Promise<void>;
  commentCounts(ticketIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

export interface ProjectNoteStore {
  /** Newest first. */
  list(projectId: string, page: PageRequest): Promise<Page<ProjectNoteRecord>>;
  get(projectId: string, id: string): Promise<ProjectNoteRecord | undefined>;
  /** False: the project has `most` already. */
  create(note: ProjectNoteRecord, most?: number): Promise<boolean>;
  update(
    id: string,
    change: Partial<Pick<ProjectNoteRecord, "title" | "body" | "tags">> & { updatedAt: number },
    revision?: number,
  ): Promise<ProjectNoteRecord | undefined>;
  delete(id: string): Promise<void>;
  counts(projectIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}
