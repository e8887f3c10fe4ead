export interface RoundRobin {
  readonly url: string;
  /** From now on everything goes to one of them; without a number, to all in turn again. */
  pin(index?: number): void;
  close(): Promise<void>;
}

export function startRoundRobin(urls: readonly string[]): Promise<RoundRobin>;
