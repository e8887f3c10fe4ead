/** How long and how much a plugin's process may take. */
export interface PluginLimits {
  /** Until it has said what its tools are. */
  readonly loadMs: number;
  /** Until it has heard that a call is to stop; one that has not hangs and is ended. */
  readonly stopMs: number;
  /** Without a call, until it is ended. */
  readonly idleMs: number;
  /** After it ended by itself, longer with each time in a row; the last repeats. */
  readonly pausesMs: readonly number[];
  readonly maxMessageBytes: number;
  readonly maxMessagesPerSecond: number;
  /** It may send so much when it starts and for each call: reading takes time that everybody else waits for. */
  readonly bytesPerCall: number;
  /** As much of that as can be saved up. */
  readonly maxSavedBytes: number;
  /** Under way at once. */
  readonly maxCalls: number;
  /** That were given up and still run: beyond this many the process is ended. */
  readonly maxAbandoned: number;
  /** Processes of one plugin: one for each workspace that it uses. */
  readonly maxProcesses: number;
  readonly memoryMiB: number;
}

export const LIMITS: PluginLimits = {
  loadMs: 15_000,
  stopMs: 2_000,
  idleMs: 5 * 60_000,
  pausesMs: [0, 1_000, 5_000, 30_000, 60_000],
  maxMessageBytes: 16 * 1024 * 1024,
  maxMessagesPerSecond: 10_000,
  bytesPerCall: 20 * 1024 * 1024,
  maxSavedBytes: 80 * 1024 * 1024,
  maxCalls: 64,
  maxAbandoned: 16,
  maxProcesses: 16,
  memoryMiB: 512,
};
