import type { Tool } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";
import type { Field } from "../../machine/text/index/field-index.ts";

/** What a tool is found by; how much each counts was chosen by `npm run bench -- tool-search`, on the sets marked *tune*. */
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
  /** What it says of itself. */
  readonly about: string;
}

/** Of a schema deeper or wider than this the rest is not looked at. */
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
  const found: Found = { names: [], texts: [] };
  gather(inputSchema, 0, found);
  const texts = [
    `${ownName} ${title}`,
    description,
    found.names.join(" "),
    found.texts.join(" "),
    name,
    about,
  ];
  return texts.map((text) => text.slice(0, MAX_TEXT));
}

interface Found {
  readonly names: string[];
  readonly texts: string[];
}

function gather(schema: unknown, depth: number, found: Found): void {
  if (!isRecord(schema) || depth > MAX_DEPTH) return;
  if (isRecord(schema.properties)) {
    for (const [name, property] of Object.entries(schema.properties)) {
      if (found.names.length >= MAX_PARAMETERS) return;
      found.names.push(name);
      if (!isRecord(property)) continue;
      if (typeof property.description === "string") found.texts.push(property.description);
      if (Array.isArray(property.enum)) found.texts.push(...choices(property.enum));
      gather(property, depth + 1, found);
    }
  }
  gather(schema.items, depth + 1, found);
}

function choices(values: readonly unknown[]): string[] {
  return values.slice(0, MAX_CHOICES).filter((value) => typeof value === "string");
}

const MAX_MEANING_NAMES = 12;
const MAX_MEANING_DESCRIPTION = 600;

/** What a tool means, as one sentence or so: who offers it, its name, what it does and what it takes. */
export function meaningText(
  { ownName, description, inputSchema }: Pick<Tool, "ownName" | "description" | "inputSchema">,
  { name }: Offerer,
): string {
  const takes = isRecord(inputSchema.properties) ? Object.keys(inputSchema.properties) : [];
  const names = takes.slice(0, MAX_MEANING_NAMES).map(spoken).join(", ");
  const does = description.slice(0, MAX_MEANING_DESCRIPTION);
  return `${spoken(name)} ${spoken(ownName)}: ${does}${names === "" ? "" : ` (${names})`}`.trim();
}

/** `listProjects` and `list_projects` as they are said. */
function spoken(name: string): string {
  const apart = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  return apart.replaceAll(/[_\-.:/]+/g, " ").trim();
}
