import { setTimeout as delay } from "node:timers/promises";
import { type Client, ProtocolError, type SubscriptionFilter } from "@modelcontextprotocol/client";
import { messageOf } from "../../contract/errors.ts";

/** Called when a list may have changed. */
export interface ListListeners {
  tools(): void;
  /** Resources, resource templates or prompts. */
  offers(): void;
}

export interface FollowOptions {
  /** Aborted when the connection ends. */
  readonly signal: AbortSignal;
  /** Called once, with the reason why changes are not announced. */
  readonly onProblem: (message: string) => void;
  /** Called with every failure. */
  readonly onFailure: (error: unknown) => void;
}

const PAUSES_MS = [1000, 2000, 5000, 15_000, 60_000];

/**
 * Calls `listeners` when the server reports that a list changed. Never rejects. Resolves at once if a legacy server
 * sends changes unasked, or if the server announces none; otherwise when the connection ends.
 */
export async function followLists(
  client: Client,
  listeners: ListListeners,
  { signal, onProblem, onFailure }: FollowOptions,
): Promise<void> {
  const tools = () => void (signal.aborted || listeners.tools());
  const offers = () => void (signal.aborted || listeners.offers());
  client.setNotificationHandler("notifications/tools/list_changed", tools);
  client.setNotificationHandler("notifications/resources/list_changed", offers);
  client.setNotificationHandler("notifications/prompts/list_changed", offers);
  const filter = buildFilter(client);
  if (client.getProtocolEra() !== "modern" || Object.keys(filter).length === 0) return;

  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      const subscription = await client.listen(filter, { signal });
      // Changes made before the new subscription were reported to nobody.
      if (attempt > 0) notifyAll(filter, { tools, offers });
      await subscription.closed;
    } catch (error) {
      if (signal.aborted) return;
      if (attempt === 0) onProblem(`changes of its lists cannot be followed: ${messageOf(error)}`);
      if (error instanceof ProtocolError) return;
      onFailure(error);
    }
    const pauseMs = PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)];
    await delay(pauseMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

/** Subscribes to what the server declares that it announces. */
function buildFilter(client: Client): SubscriptionFilter {
  const { tools, resources, prompts } = client.getServerCapabilities() ?? {};
  return {
    ...(tools?.listChanged ? { toolsListChanged: true } : {}),
    ...(resources?.listChanged ? { resourcesListChanged: true } : {}),
    ...(prompts?.listChanged ? { promptsListChanged: true } : {}),
  };
}

function notifyAll(filter: SubscriptionFilter, listeners: ListListeners): void {
  if (filter.toolsListChanged) listeners.tools();
  if (filter.resourcesListChanged || filter.promptsListChanged) listeners.offers();
}
