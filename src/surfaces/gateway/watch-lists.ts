import { messageOf } from "../../contract/errors.ts";
import type { Hub } from "../../hub.ts";
import type { Log } from "../../lib/log.ts";

/** Changes come in bursts (a server connects, a toolbox is rewritten); one announcement covers them. */
const GATHER_MS = 100;

/**
 * Calls `announce` shortly after anything changed that lists depend on: the catalogue, a toolbox, an agent, a server's
 * offers, a conversation's finds. Calls never overlap. Returns the function that stops it.
 */
export function watchLists(
  hub: Pick<Hub, "catalog" | "events" | "listings" | "offers">,
  log: Log,
  announce: () => Promise<void>,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();

  const scheduleAnnouncement = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      last = last
        .then(announce)
        .catch((error: unknown) =>
          log.error({ error: messageOf(error) }, "gateway: announcing changed lists failed"),
        );
    }, GATHER_MS);
  };
  const stops = [
    hub.catalog.onChange(scheduleAnnouncement),
    hub.events.on("agent.changed", scheduleAnnouncement),
    hub.offers.onChange(scheduleAnnouncement),
    hub.listings.onChange(scheduleAnnouncement),
  ];
  return () => {
    for (const stop of stops) stop();
    clearTimeout(timer);
  };
}
