import { createHash } from "node:crypto";
import { stableJson } from "../../lib/json.ts";
import type { PinKind } from "../records.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** The fields that a person accepts: all that are passed on, or that decide how a definition is used. */
const ACCEPTED_FIELDS: Readonly<Record<PinKind, readonly string[]>> = {
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
export function pickAccepted(kind: PinKind, definition: Fields): Fields {
  return Object.fromEntries(
    ACCEPTED_FIELDS[kind].flatMap((field) =>
      definition[field] === undefined ? [] : [[field, definition[field]]],
    ),
  );
}

/** Equal for equal definitions, whatever the order of their fields. */
export function computeFingerprint(kind: PinKind, definition: Fields): string {
  return createHash("sha256")
    .update(stableJson(pickAccepted(kind, definition)))
    .digest("hex");
}
