import { messageOf } from "../contract/errors.ts";
import { err, type Result } from "../lib/result.ts";
import type { Settings } from "../machine/config/settings.ts";
import type { ConnectFailure } from "./connection/connect.ts";
import type { Connection } from "./connection/connection.ts";
import type { Server } from "./lifecycle/server.ts";
import type { Learned } from "./lists/server-lists.ts";

type Opened = Result<Connection, ConnectFailure>;

/** A connection for one conversation may show that a tool or a prompt has changed, which the shared one did not. Never rejects. */
export async function inspected(
  server: Server,
  opened: Opened,
  learned: Pick<Learned, "inspect">,
  settings: Settings,
): Promise<Opened> {
  if (!opened.ok) return opened;
  try {
    if (await learned.inspect(server, opened.value, settings)) server.retool();
    return opened;
  } catch (error) {
    await opened.value.close();
    return err({ message: messageOf(error), needsAuth: false });
  }
}
