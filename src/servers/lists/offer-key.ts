import type { ServerOfferRecord } from "../records.ts";

/** A resource, a resource template or a prompt of a server. */
export type Offer = Omit<ServerOfferRecord, "serverId">;
export type OfferKind = Offer["kind"];

/** The field that identifies an offer of each kind. */
export const KEY_FIELDS = {
  resource: "uri",
  resource_template: "uriTemplate",
  prompt: "name",
} as const satisfies Record<OfferKind, string>;

/** Always present: lists leave out entries without a key. */
export function getOfferKey({ kind, definition }: Offer): string {
  return String(definition[KEY_FIELDS[kind]]);
}
