import type { OfferDefinition, OfferKind } from "../../../contract/offer.ts";
import { isRecord } from "../../../lib/json.ts";
import { MAX_DESCRIPTION, MAX_TITLE } from "./clean-schema.ts";
import { cleanText } from "./clean-text.ts";

/** The most that is passed on of what a server says of itself. */
export const MAX_INSTRUCTIONS = 20_000;

type Fields = Readonly<Record<string, unknown>>;

/** A resource, template or prompt with clean texts; the same object where they are clean already. */
export function cleanOffer(kind: OfferKind, definition: OfferDefinition): OfferDefinition {
  const said = cleanFields(definition);
  // The name of a prompt is what it is asked for by; a resource is asked for by its URI.
  const named = kind === "prompt" ? said : cleanField(said, "name", MAX_TITLE);
  const args = named.arguments;
  if (!Array.isArray(args)) return named;
  const clean = args.map((argument: unknown) => (isRecord(argument) ? cleanFields(argument) : argument));
  return clean.every((argument, at) => argument === args[at]) ? named : { ...named, arguments: clean };
}

function cleanFields(fields: Fields): Fields {
  return cleanField(cleanField(fields, "title", MAX_TITLE), "description", MAX_DESCRIPTION);
}

function cleanField(fields: Fields, key: string, max: number): Fields {
  const text = fields[key];
  if (typeof text !== "string") return fields;
  const clean = cleanText(text, max);
  return clean === text ? fields : { ...fields, [key]: clean };
}
