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
