import type { OfferDefinition, OfferKind } from "../../../contract/offer.ts";
import { isRecord } from "../../../lib/json.ts";
import { MAX_DESCRIPTION, MAX_TITLE } from "./clean-schema.ts";
import { cleanText } from "./clean-text.ts";

/** The longest instructions that are passed on. */
export const MAX_INSTRUCTIONS = 20_000;

type Fields = Readonly<Record<string, unknown>>;

/** Cleans the texts of a resource, template or prompt; returns the same object if they are clean already. */
export function cleanOffer(kind: OfferKind, definition: OfferDefinition): OfferDefinition {
  const cleaned = cleanFields(definition);
  // A prompt is requested by its name, so that stays; a resource is requested by its URI.
  const offer = kind === "prompt" ? cleaned : cleanField(cleaned, "name", MAX_TITLE);
  const args = offer.arguments;
  if (!Array.isArray(args)) return offer;
  const clean = args.map((argument: unknown) => (isRecord(argument) ? cleanFields(argument) : argument));
  return clean.every((argument, at) => argument === args[at]) ? offer : { ...offer, arguments: clean };
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
