import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** The processes, of all namespaces, whose command line holds `mark`. */
export async function pidsWith(mark: string): Promise<number[]> {
  const lines = process.platform === "linux" ? await fromProc() : await fromPs();
  return lines.filter(([, line]) => line.includes(mark)).map(([pid]) => Number(pid));
}

async function fromProc(): Promise<[pid: string, line: string][]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const read = (pid: string) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return Promise.all(pids.map(async (pid) => [pid, await read(pid)]));
}

async function fromPs(): Promise<[pid: string, line: string][]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,args="]);
  return stdout.split("\n").map((line) => [line.trim().split(" ")[0]!, line]);
}
