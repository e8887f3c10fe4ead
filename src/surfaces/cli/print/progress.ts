import type { Terminal } from "../terminal.ts";

const QUIET_MS = 2_000;
const FRAME_MS = 100;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** Shows on standard error that work is in progress: a spinner in a terminal, otherwise one line after two seconds. */
export async function withProgress<T>(terminal: Terminal, label: string, work: Promise<T>): Promise<T> {
  const stop = terminal.interactive ? startSpinner(terminal, label) : announceLater(terminal, label);
  try {
    return await work;
  } finally {
    stop();
  }
}

function startSpinner(terminal: Terminal, label: string): () => void {
  const startedAt = performance.now();
  let frame = 0;
  const timer = setInterval(() => {
    const seconds = Math.floor((performance.now() - startedAt) / 1000);
    terminal.err(`\r\u001b[K${FRAMES[frame++ % FRAMES.length]} ${label} ${seconds} s`);
  }, FRAME_MS);
  return () => {
    clearInterval(timer);
    if (frame > 0) terminal.err("\r\u001b[K");
  };
}

function announceLater(terminal: Terminal, label: string): () => void {
  const timer = setTimeout(() => terminal.err(`${label} …\n`), QUIET_MS);
  return () => clearTimeout(timer);
}
