// On a machine that does much else, times tell mostly how long processes waited for a core. As root the kernel can be asked to prefer these.
import { existsSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { pidsBelow } from "./process-figures.mjs";

const NICE = -15;

/**
 * These processes and all below them, from now on. Linux also shares cores out between sessions, and some programs start each server in a session of
 * its own: so every process is asked for by itself, once all of them run.
 */
export function prefer(pids) {
  for (const pid of pidsBelow(pids)) {
    setPriority(pid, NICE);
    const group = `/proc/${pid}/autogroup`;
    if (existsSync(group)) writeFileSync(group, String(NICE));
  }
}
