import { readFile } from "node:fs/promises";
import { waitUntil } from "./wait-until.ts";

/** The pids that `tree.sh` wrote to `file`, once there are `count`. */
export async function pidsIn(file: string, count: number): Promise<number[]> {
  let pids: number[] = [];
  await waitUntil(`${count} processes wrote their pid`, async () => {
    const text = await readFile(file, "utf8").catch(() => "");
    pids = text.trim().split("\n").filter(Boolean).map(Number);
    return pids.length >= count;
  });
  return pids;
}
