/** The surroundings of one command: environment, input, output and the signal that cancels it. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Whether a person can be asked: standard input and standard error are terminals. */
  readonly interactive: boolean;
  /** Whether standard output is a terminal. */
  readonly screen: boolean;
  /** The width of the output; infinite if standard output is not a terminal. */
  readonly columns: number;
  out(text: string): void;
  err(text: string): void;
  /** All of standard input. */
  read(): Promise<string>;
  /** Aborts on Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
}

export function processTerminal(signal: AbortSignal): Terminal {
  return {
    env: process.env,
    cwd: process.cwd(),
    interactive: Boolean(process.stdin.isTTY && process.stderr.isTTY),
    screen: process.stdout.isTTY === true,
    columns: (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    read: readStdin,
    signal,
  };
}

const MAX_INPUT_BYTES = 64 * 1024 * 1024;

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    chunks.push(Buffer.from(chunk));
    bytes += chunks.at(-1)!.length;
    if (bytes > MAX_INPUT_BYTES) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}
