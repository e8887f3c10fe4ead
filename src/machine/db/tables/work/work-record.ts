/** What a sub-agent was asked to do. */
export interface TaskRecord {
  readonly id: string;
  readonly agentId: string;
  readonly title: string;
  readonly instructions: string;
  readonly status: "open" | "in_progress" | "blocked" | "done" | "failed" | "cancelled";
  readonly note: string;
  /** The agent that gave it; null: a person did. */
  readonly assignedBy: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface TaskStore {
  /** Newest last; at most 500. */
  list(filter?: { agentId?: string; unfinished?: boolean }): Promise<TaskRecord[]>;
  get(id: string): Promise<TaskRecord | undefined>;
  /** Of its agent's tasks only the newest 500 stay, and those that are not finished. */
  create(task: TaskRecord): Promise<void>;
  /** With `status`: throws CHANGED where it is in another by now. */
  update(
    id: string,
    change: Partial<Pick<TaskRecord, "title" | "status" | "note" | "updatedAt">>,
    status?: TaskRecord["status"],
  ): Promise<void>;
}

/** A task in one of these is over. */
export const FINISHED_TASK: readonly TaskRecord["status"][] = ["done", "failed", "cancelled"];

export interface TodoItem {
  readonly text: string;
  readonly status: "pending" | "in_progress" | "done";
}

/** One ordered to-do list per agent and conversation. */
export interface TodoStore {
  get(agentId: string, conversation: string): Promise<readonly TodoItem[]>;
  put(agentId: string, conversation: string, items: readonly TodoItem[], at: number): Promise<void>;
}

/** A report from a sub-agent to its parent. */
export interface MessageRecord {
  readonly id: string;
  readonly fromAgentId: string;
  readonly toAgentId: string;
  readonly text: string;
  readonly createdAt: number;
  readonly readAt: number | null;
}

export interface MessageStore {
  /** Newest last; at most 500. */
  list(filter: { toAgentId: string; unread?: boolean }): Promise<MessageRecord[]>;
  /** Of those to the same agent only the newest 500 stay, and those that nobody has read. */
  create(message: MessageRecord): Promise<void>;
  markRead(ids: readonly string[], at: number): Promise<void>;
}

/** A file an agent handed to people. The copy lies under `TOOLKEEP_HOME/attachments`. */
export interface AttachmentRecord {
  readonly id: string;
  readonly agentId: string;
  readonly conversation: string;
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: number;
  readonly path: string;
  readonly note: string;
  readonly createdAt: number;
}

export interface AttachmentStore {
  /** Newest last; at most 500. */
  list(filter?: { agentId?: string }): Promise<AttachmentRecord[]>;
  create(attachment: AttachmentRecord): Promise<void>;
}
