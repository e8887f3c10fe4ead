import type { Caller } from "../../contract/caller.ts";
import { OFFER_KINDS, type OfferKind } from "../../contract/offer.ts";
import type { Params } from "./messages.ts";
import type { ServingDeps } from "./serving.ts";

export const LIST_CHANGES = {
  tools: "notifications/tools/list_changed",
  resources: "notifications/resources/list_changed",
  prompts: "notifications/prompts/list_changed",
} as const;
export type ListName = keyof typeof LIST_CHANGES;

type Deps = Pick<ServingDeps, "hub" | "lists" | "offerTexts">;

/** The lists that a client last saw, so that it is told only of its own changes. */
export class SeenLists {
  #tools = "";
  readonly #offers = new Map<OfferKind, readonly Params[]>();

  /** Records the current lists, because the client is about to see them. */
  async remember(caller: Caller, deps: Deps): Promise<void> {
    await this.takeChanges(caller, deps);
  }

  /** Returns which of the caller's lists changed since the last time, and records the current ones. */
  async takeChanges(caller: Caller, { hub, lists, offerTexts }: Deps): Promise<ReadonlySet<ListName>> {
    const changed = new Set<ListName>();
    const { version } = await lists.getList(caller);
    if (version !== this.#tools) changed.add("tools");
    this.#tools = version;
    for (const kind of OFFER_KINDS) {
      const now = hub.offers.visible(caller, kind);
      const before = this.#offers.get(kind) ?? [];
      if (now !== before && offerTexts.get(now) !== offerTexts.get(before)) {
        changed.add(kind === "prompt" ? "prompts" : "resources");
      }
      this.#offers.set(kind, now);
    }
    return changed;
  }
}
