import { setTimeout as sleep } from "node:timers/promises";
import { ToolkeepError } from "../../../contract/errors.ts";
import { findDaemon } from "../../daemon/daemon-file.ts";
import { findHome } from "../home.ts";
import type { Terminal } from "../terminal.ts";
import type { ApiClient } from "./api-client.ts";
import { httpClient } from "./http-client.ts";
import { readRemoteDaemon } from "./remote.ts";

const LOCK_LIMIT_MS = 30_000;
const POLL_MS = 100;
const QUIET_MS = 2_000;

/**
 * Connects to the daemon that TOOLKEEP_URL names, else to the running daemon of this home, else opens a hub in this
 * process. Waits up to 30 s while another command holds the home or a daemon is starting or stopping.
 */
export async function connect(terminal: Terminal): Promise<ApiClient> {
  const remote = readRemoteDaemon(terminal.env);
  if (remote) return httpClient(remote);

  const home = await findHome(terminal);
  const deadline = performance.now() + LOCK_LIMIT_MS;
  using _ = announceLater(terminal, `waiting for another toolkeep command on ${home}`);
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
    await sleep(POLL_MS, undefined, { signal: terminal.signal });
  }
}

function announceLater(terminal: Terminal, what: string): Disposable {
  const timer = setTimeout(
    () => terminal.err(`${terminal.interactive ? "\r\u001b[K" : ""}${what} …\n`),
    QUIET_MS,
  );
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
