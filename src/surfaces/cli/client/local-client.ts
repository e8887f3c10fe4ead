import { systemClock } from "../../../lib/clock.ts";
import { packageVersion } from "../../../machine/process/own-package.ts";
import { createLog } from "../../daemon/log/log.ts";
import { openApp } from "../../daemon/open-app.ts";
import type { Terminal } from "../terminal.ts";
import { type ApiClient, readAnswer } from "./api-client.ts";

/** The API of a hub that this process opens for one command. Throws STORE_LOCKED if the home is in use. */
export async function localClient({ env, cwd, err }: Terminal): Promise<ApiClient> {
  const log = createLog({ level: "error", human: true, write: err });
  const { app, hub, door, adminToken, close } = await openApp({
    env,
    cwd,
    log: log.logger,
    version: packageVersion(),
    clock: systemClock,
    holder: "cli",
  });
  log.redactWith((line) => hub.vault.redact(line));
  return {
    async send(method, path, body, { signal } = {}) {
      signal?.throwIfAborted();
      const abort = () => door.requests.abort();
      signal?.addEventListener("abort", abort, { once: true });
      try {
        const response = await app.inject({
          method,
          url: path,
          headers: { authorization: `Bearer ${adminToken}`, host: "127.0.0.1", "x-toolkeep-from": "cli" },
          ...(body === undefined ? {} : { payload: body as object }),
        });
        return readAnswer(response.statusCode, response.payload);
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      } finally {
        signal?.removeEventListener("abort", abort);
      }
    },
    close,
  };
}
