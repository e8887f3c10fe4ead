export interface PostgresServer {
  readonly url: string;
  stop(): Promise<void>;
}

export function startPostgres(bindir: string): Promise<PostgresServer>;
