import { messageOf } from "../../contract/errors.ts";
import type { Hub } from "../../hub.ts";
import type { Log } from "../../lib/log.ts";

/** Changes come in bursts (a server connects, a toolbox is rewritten); one announcement covers them. */
const GATHER_MS = 100;

/**
 * Calls `announce` a moment after anything changed that lists follow from: the catalogue, a toolbox, an agent, what
 * servers offer, what conversations found. Calls never overlap. Returns the function that stops it.
 */
export function watchLists(
  hub: Pick<Hub, "catalog" | "events" | "listings" | "offers">,
  log: Log,
  announce: () => Promise<void>,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();

  const changed = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      last = last
        .then(announce)
        .catch((error: unknown) =>
          log.error({ error: messageOf(error) }, "announcing a changed list failed"),
        );
    }, GATHER_MS);
  };
  const stops = [
    hub.catalog.onChange(changed),
    hub.events.on("agent.changed", changed),
    hub.offers.onChange(changed),
    hub.listings.onChange(changed),
  ];
  return () => {
    for (const stop of stops) stop();
    clearTimeout(timer);
  };
}
