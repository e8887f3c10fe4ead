/** How long the whole of a cut output can be read. */
export const OUTPUT_KEPT_MS = 24 * 3_600_000;

/** The whole of an output that was cut. Lengths and places count as those of a JavaScript string do. */
export interface OutputRecord {
  readonly id: string;
  /** Whose call it was. */
  readonly agentId: string;
  readonly conversation: string;
  readonly chars: number;
  readonly bytes: number;
  readonly createdAt: number;
  /** What its conversation had come in touch with: whoever reads it does, too. */
  readonly labels: readonly string[];
}

export interface OutputStore {
  /** Of one agent, newest first. */
  list(filter: { agentId: string }): Promise<OutputRecord[]>;
  get(id: string): Promise<OutputRecord | undefined>;
  /**
   * Keeps `text`, in pieces, between which others have their turn: it can be read when the promise resolves. A process
   * that is killed before leaves a part of it, which nobody knows the id of.
   */
  create(output: OutputRecord, text: string): Promise<void>;
  /** The characters from one place to before another; fewer where there are not so many. */
  read(id: string, from: number, to: number): Promise<string>;
  /** Removes them, where they are there; others have their turn in between. */
  delete(ids: readonly string[]): Promise<void>;
}
