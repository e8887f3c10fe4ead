// `toolkeep connect` and its `--undo`, as the client itself sees them.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { command, lacks } from "./command.mjs";

/** What every client does after `toolkeep connect`, and no longer does after `--undo`. */
export function connectChecks(id, daemon, home, { list, isConnected }) {
  const env = { ...daemon.env, HOME: home };
  const connect = (...args) =>
    command(process.execPath, [daemon.bin, "connect", id, ...args], { env, cwd: home });
  return {
    [`is connected by toolkeep connect ${id}`]: async () => {
      await connect();
      const shown = await list();
      return lacks(shown, "toolkeep") ?? isConnected(shown);
    },
    [`forgets Toolkeep by toolkeep connect ${id} --undo`]: async () => {
      await connect("--undo", "--yes");
      const shown = await list();
      return shown.includes(daemon.url) ? `still shown: ${shown.slice(0, 600)}` : undefined;
    },
  };
}

/** Where nothing of an earlier check can be mistaken for what this one is about. */
export async function freshHome(home, name) {
  const fresh = join(home, name);
  await mkdir(fresh, { recursive: true });
  return fresh;
}
