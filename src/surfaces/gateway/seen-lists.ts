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

/** What a client's lists were when it was last told of them, so that it hears of its own changes only. */
export class SeenLists {
  #tools = "";
  readonly #offers = new Map<OfferKind, readonly Params[]>();

  /** Takes the lists as they are now; the client is about to see them. */
  async note(caller: Caller, deps: Deps): Promise<void> {
    await this.changes(caller, deps);
  }

  /** Which of the caller's lists are others than before. */
  async changes(caller: Caller, { hub, lists, offerTexts }: Deps): Promise<ReadonlySet<ListName>> {
    const changed = new Set<ListName>();
    const { version } = await lists.for(caller);
    if (version !== this.#tools) changed.add("tools");
    this.#tools = version;
    for (const kind of OFFER_KINDS) {
      const now = hub.offers.visible(caller, kind);
      const before = this.#offers.get(kind) ?? [];
      if (now !== before && offerTexts.of(now) !== offerTexts.of(before)) {
        changed.add(kind === "prompt" ? "prompts" : "resources");
      }
      this.#offers.set(kind, now);
    }
    return changed;
  }
}
