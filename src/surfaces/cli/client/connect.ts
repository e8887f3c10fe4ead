import { setTimeout as sleep } from "node:timers/promises";
import { ToolkeepError } from "../../../contract/errors.ts";
import { findDaemon } from "../../daemon/daemon-file.ts";
import { homeHere } from "../home.ts";
import type { Terminal } from "../terminal.ts";
import type { ApiClient } from "./api-client.ts";
import { httpClient } from "./http-client.ts";
import { remoteDaemon } from "./remote.ts";

const LOCK_LIMIT_MS = 30_000;
const LOOK_EVERY_MS = 100;
const QUIET_MS = 2_000;

/**
 * The API to talk to: the daemon that TOOLKEEP_URL names, else the running daemon of this home, else a hub in this
 * process. While another command has the home, or a daemon is on its way up or down, waits its turn for 30 s.
 */
export async function connect(terminal: Terminal): Promise<ApiClient> {
  const remote = remoteDaemon(terminal.env);
  if (remote) return httpClient(remote);

  const home = await homeHere(terminal);
  const deadline = performance.now() + LOCK_LIMIT_MS;
  using _ = sayLater(terminal, `waiting for another toolkeep on ${home}`);
  for (;;) {
    const daemon = await findDaemon(home, terminal.signal);
    if (daemon) return httpClient(daemon);
    try {
      const { localClient } = await import("./local-client.ts");
      return await localClient(terminal);
    } catch (error) {
      const locked = error instanceof ToolkeepError && error.code === "STORE_LOCKED";
      if (!locked || performance.now() >= deadline) throw error;
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal: terminal.signal });
  }
}

function sayLater(terminal: Terminal, what: string): Disposable {
  const timer = setTimeout(
    () => terminal.err(`${terminal.interactive ? "\r\u001b[K" : ""}${what} …\n`),
    QUIET_MS,
  );
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
