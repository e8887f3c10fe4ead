/** A deferred tool that a conversation has found or called, and so has in its lists from then on. */
export interface ActivationRecord {
  readonly agentId: string;
  readonly conversation: string;
  readonly tool: string;
  /** The token that the conversation came with; null: none. */
  readonly tokenId: string | null;
  /** When it was last called; before that, when it was found. */
  readonly usedAt: number;
}

/** What others are told that a change was about. */
export function conversationKey({
  agentId,
  conversation,
}: Pick<ActivationRecord, "agentId" | "conversation">): string {
  return `${agentId} ${conversation}`;
}

/** Everything of an agent goes with it. */
export interface ActivationStore {
  /** Of one conversation, least recently used first; at most 1,000. */
  list(agentId: string, conversation: string): Promise<ActivationRecord[]>;
  /** The conversation of the agent that used one last, not before `since`; with `tokenId`: of those that came with it. */
  latest(filter: { agentId: string; tokenId?: string; since?: number }): Promise<string | undefined>;
  /** Adds them; of one that is there already only the time of use changes. Every process notices. */
  put(activations: readonly ActivationRecord[]): Promise<void>;
  /** Changes the times of use of what is there, unnoticed by others. */
  touch(activations: readonly ActivationRecord[]): Promise<void>;
  /** Takes tools out of a conversation, or all of it. */
  delete(agentId: string, conversation: string, tools?: readonly string[]): Promise<void>;
}
