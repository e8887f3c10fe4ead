/** Time and size limits of a plugin's process. */
export interface PluginLimits {
  /** Time until it has listed its tools. */
  readonly loadMs: number;
  /** Time to acknowledge a cancelled call. A process that does not is considered hung and ended. */
  readonly stopMs: number;
  /** Time without a call until it is ended. */
  readonly idleMs: number;
  /** Pauses before restarts after consecutive failures; the last one repeats. */
  readonly pausesMs: readonly number[];
  readonly maxMessageBytes: number;
  readonly maxMessagesPerSecond: number;
  /** Bytes it may send at start and per call, because reading them takes time from everybody else. */
  readonly bytesPerCall: number;
  /** The most unused bytes that can accumulate. */
  readonly maxSavedBytes: number;
  /** Concurrent calls. */
  readonly maxCalls: number;
  /** Cancelled calls that may still be running; with more, the process is ended. */
  readonly maxAbandoned: number;
  /** Processes per plugin: one for each workspace that it uses. */
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
