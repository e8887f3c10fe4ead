import { createHash } from "node:crypto";
import { stableJson } from "../../lib/json.ts";
import type { PinKind } from "../../machine/db/tables/sources/pin-record.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** What a person accepts of each kind: all that is passed on, or that decides how it is used. */
const ACCEPTED: Readonly<Record<PinKind, readonly string[]>> = {
  tool: [
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
    "execution",
    "icons",
    "_meta",
  ],
  resource_template: [
    "uriTemplate",
    "name",
    "title",
    "description",
    "mimeType",
    "annotations",
    "icons",
    "_meta",
  ],
  prompt: ["name", "title", "description", "arguments", "icons", "_meta"],
  instructions: ["instructions"],
};

/** The part of a definition that a person accepts. */
export function acceptedPart(kind: PinKind, definition: Fields): Fields {
  return Object.fromEntries(
    ACCEPTED[kind].flatMap((field) => (definition[field] === undefined ? [] : [[field, definition[field]]])),
  );
}

/** Equal for definitions that say the same, whatever order their fields have. */
export function fingerprintOf(kind: PinKind, definition: Fields): string {
  return createHash("sha256")
    .update(stableJson(acceptedPart(kind, definition)))
    .digest("hex");
}
