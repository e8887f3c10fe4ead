/** Brings bubblewrap for the tests of the sandbox, where that is possible without asking. */
import { installWithApt, onPath } from "./apt.mjs";

/** The program, or the reason why there is none. */
export function ensureBubblewrap() {
  const failed = onPath("bwrap") ? undefined : installWithApt("bubblewrap", "bubblewrap");
  if (failed) return { missing: failed };
  const program = onPath("bwrap");
  return program ? { program } : { missing: "bubblewrap was installed, but cannot be found" };
}
