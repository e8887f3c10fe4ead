import type { ServerOfferRecord } from "../../machine/db/store.ts";

/** Something a server offers beside its tools: a resource, a template of resources, a prompt. */
export type Offer = Omit<ServerOfferRecord, "serverId">;
export type OfferKind = Offer["kind"];

/** The property in which each kind has its name. */
export const KEYS = {
  resource: "uri",
  resource_template: "uriTemplate",
  prompt: "name",
} as const satisfies Record<OfferKind, string>;

/** What its server calls it; the lists keep nothing without. */
export function keyOfOffer({ kind, definition }: Offer): string {
  return String(definition[KEYS[kind]]);
}
