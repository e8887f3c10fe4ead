import type { Tool } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";
import type { Field } from "../../machine/text/index/field-index.ts";

/**
 * The fields by which a tool is found. Their weights were chosen with `npm run bench -- tool-search`, on the sets
 * marked *tune*.
 */
export const TOOL_FIELDS: readonly Field[] = [
  { name: "name", weight: 1, b: 0.5 },
  { name: "description", weight: 0.7, b: 0.5 },
  { name: "parameters", weight: 0.5, b: 0.5 },
  { name: "parameter descriptions", weight: 0.3, b: 0.75 },
  { name: "server", weight: 0.2, b: 0.5 },
  { name: "about the server", weight: 0.2, b: 0.5 },
];

/** Who offers tools, as far as it helps to find them. */
export interface Offerer {
  readonly name: string;
  /** What it says about itself. */
  readonly about: string;
}

/** Deeper or wider parts of a schema are ignored. */
const MAX_DEPTH = 4;
const MAX_PARAMETERS = 200;
const MAX_CHOICES = 20;
const MAX_TEXT = 20_000;

/** The texts of a tool, in the order of `TOOL_FIELDS`. */
export function toolTexts(
  {
    ownName,
    title = "",
    description,
    inputSchema,
  }: Pick<Tool, "ownName" | "title" | "description" | "inputSchema">,
  { name, about }: Offerer,
): readonly string[] {
  const words: SchemaWords = { names: [], texts: [] };
  collectWords(inputSchema, 0, words);
  const texts = [
    `${ownName} ${title}`,
    description,
    words.names.join(" "),
    words.texts.join(" "),
    name,
    about,
  ];
  return texts.map((text) => text.slice(0, MAX_TEXT));
}

interface SchemaWords {
  readonly names: string[];
  readonly texts: string[];
}

function collectWords(schema: unknown, depth: number, words: SchemaWords): void {
  if (!isRecord(schema) || depth > MAX_DEPTH) return;
  if (isRecord(schema.properties)) {
    for (const [name, property] of Object.entries(schema.properties)) {
      if (words.names.length >= MAX_PARAMETERS) return;
      words.names.push(name);
      if (!isRecord(property)) continue;
      if (typeof property.description === "string") words.texts.push(property.description);
      if (Array.isArray(property.enum)) words.texts.push(...enumTexts(property.enum));
      collectWords(property, depth + 1, words);
    }
  }
  collectWords(schema.items, depth + 1, words);
}

function enumTexts(values: readonly unknown[]): string[] {
  return values.slice(0, MAX_CHOICES).filter((value) => typeof value === "string");
}

const MAX_MEANING_NAMES = 12;
const MAX_MEANING_DESCRIPTION = 600;

/** A sentence about what a tool means: who offers it, its name, what it does and what it takes. */
export function meaningText(
  { ownName, description, inputSchema }: Pick<Tool, "ownName" | "description" | "inputSchema">,
  { name }: Offerer,
): string {
  const parameters = isRecord(inputSchema.properties) ? Object.keys(inputSchema.properties) : [];
  const names = parameters.slice(0, MAX_MEANING_NAMES).map(spellOut).join(", ");
  const purpose = description.slice(0, MAX_MEANING_DESCRIPTION);
  return `${spellOut(name)} ${spellOut(ownName)}: ${purpose}${names === "" ? "" : ` (${names})`}`.trim();
}

/** Writes `listProjects` and `list_projects` as separate words. */
function spellOut(name: string): string {
  const separated = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  return separated.replaceAll(/[_\-.:/]+/g, " ").trim();
}
