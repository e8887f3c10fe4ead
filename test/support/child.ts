import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A Node process of its own that runs `script`, with the lines it has printed so far. */
export interface Child extends AsyncDisposable {
  readonly pid: number;
  readonly lines: readonly string[];
  /** Resolves when it is gone, and everything it printed has been read. */
  kill9(): Promise<void>;
}

/** The address of compiled code, which a child needs; `npm test` builds `dist/` first. */
export const built = (path: string) => JSON.stringify(new URL(`../../dist/${path}`, import.meta.url).href);

export function startChild(script: string): Child {
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  const reader = createInterface(child.stdout).on("line", (line) => lines.push(line));
  const gone = Promise.all([once(child, "exit"), once(reader, "close")]);
  const kill9 = () => end(child, gone);
  return { pid: child.pid!, lines, kill9, [Symbol.asyncDispose]: kill9 };
}

async function end(child: ChildProcess, gone: Promise<unknown>): Promise<void> {
  child.kill("SIGKILL");
  await gone;
}
