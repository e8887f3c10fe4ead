export interface CatalogueServer {
  readonly name: string;
  readonly tools: number;
  readonly command: string;
  readonly args: readonly string[];
  /** Where it is in the catalogue. */
  readonly offset: number;
  readonly length: number;
}

export interface MeasuredDaemon {
  readonly url: string;
  readonly readyMs: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
  api(method: string, path: string, body?: unknown): Promise<any>;
  rssBytes(): Promise<number>;
  descendants(): Promise<number[]>;
  stop(): Promise<void>;
}

export function missingCatalogue(): string | undefined;
export function catalogueServers(): CatalogueServer[];
export function scratchHome(): Promise<{ path: string; remove(): Promise<void> }>;
export function replayOverHttp(): Promise<{ of(server: CatalogueServer): string; close(): Promise<void> }>;
export function registerCatalogue(
  home: string,
  urlOf?: (server: CatalogueServer) => string | undefined,
): Promise<{ token: string; tookMs: number }>;
export function startDaemon(home: string): Promise<MeasuredDaemon>;
