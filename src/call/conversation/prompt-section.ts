import type { Tool } from "../../contract/tool.ts";
import { CALL_TOOL } from "../catalog/call-tool-tool.ts";
import { TOOL_SEARCH } from "../search/find-tools.ts";
import { type Place, placesOf } from "../search/places.ts";
import type { Listing } from "./listing.ts";
import { estimateTokens } from "./token-estimate.ts";

export interface PromptDeps {
  /** What a server says of itself, by the origin of its tools. */
  readonly about: (origin: string) => string | undefined;
  /** Where the description of a tool is cut. */
  readonly maxDescription: number;
}

const MAX_TOKENS = 2_000;
/** More are more tokens than that in any language. */
const MAX_CHARS = 5 * MAX_TOKENS;
const MAX_ABOUT = 200;

/**
 * What a model has to be told of its tools beside their list: which servers they come from, with counts and what these
 * say of themselves; of those that are not in the list also what they are called and how to get them. At most 2,000
 * tokens: names lose their descriptions first, then there are servers with counts instead of names. Empty where there
 * is nothing to tell.
 */
export function promptSection(listing: Listing, deps: PromptDeps): string {
  const { tools, deferred } = listing;
  const places = placesOf([...tools.filter(isOfServer), ...deferred]);
  if (places.length === 0) return "";
  const offering = (told: Pick<PromptDeps, "about">) => offerers(places, deferred, told);
  const forms = [
    () => [...offering(deps), ...namesOf(deferred, (tool) => lineOf(tool, deps))],
    () => [...offering(deps), ...namesOf(deferred, ({ name }) => name)],
    () => offering(deps),
    () => offering({ about: () => undefined }),
  ];
  for (const form of forms) {
    const section = sectionOf(listing, form());
    if (estimateTokens(section) <= MAX_TOKENS) return section;
  }
  return sectionOf(listing, largest(listing, places));
}

/** Not all of them where they are too many anyway: of ten thousand nobody writes down the rest. */
function namesOf(deferred: readonly Tool[], lineFor: (tool: Tool) => string): readonly string[] {
  if (deferred.length === 0) return [];
  const lines: string[] = [];
  let chars = 0;
  for (const tool of deferred) {
    const line = lineFor(tool);
    lines.push(line);
    chars += line.length;
    if (chars > MAX_CHARS) break;
  }
  return ["<available-deferred-tools>", ...lines, "</available-deferred-tools>"];
}

/** Our own tools have a domain, and need no introduction while they are in the list. */
function isOfServer({ domain, origin }: Tool): boolean {
  return domain === undefined && origin.includes(":");
}

function sectionOf({ tools, deferred, tooManyFor }: Listing, lines: readonly string[]): string {
  if (deferred.length === 0) return ["Some of your tools come from these servers:", ...lines].join("\n");
  const count = deferred.length === 1 ? "1 more tool" : `${deferred.length} more tools`;
  return [
    `You can use ${count} than your list shows. Find them with ${TOOL_SEARCH}: one short phrase for each step of your work, such as "create a calendar event", or select:NAME,NAME for tools whose names you know. What it finds can be called from then on, by its name${tools.some(({ name }) => name === CALL_TOOL) ? ` or with ${CALL_TOOL}` : ""}.`,
    ...(tooManyFor === undefined
      ? []
      : [`Your list is longer than the ${tooManyFor} tools that your host is known to take.`]),
    ...lines,
  ].join("\n");
}

function offerers(
  places: readonly Place[],
  deferred: readonly Tool[],
  { about }: Pick<PromptDeps, "about">,
): readonly string[] {
  const left = new Set(deferred);
  return places.map((place) => {
    const said = oneLine(about(place.tools[0]!.origin) ?? "", MAX_ABOUT);
    const found = place.tools.filter((tool) => left.has(tool)).length;
    return `- ${countIn(place, found)}${said && `: ${said}`}`;
  });
}

/** As many as there is room for. */
function largest(listing: Listing, places: readonly Place[]): readonly string[] {
  const lines: string[] = [];
  for (const [index, place] of places.entries()) {
    const more = `- and ${places.length - index} more`;
    const next = [...lines, `- ${countIn(place)}`];
    if (estimateTokens(sectionOf(listing, [...next, more])) > MAX_TOKENS) return [...lines, more];
    lines.push(next.at(-1)!);
  }
  return lines;
}

function countIn({ name, tools }: Place, found = tools.length): string {
  const some = found > 0 && found < tools.length ? `, ${found} of them to be found` : "";
  return `${name} (${tools.length} ${tools.length === 1 ? "tool" : "tools"}${some})`;
}

function lineOf({ name, description }: Tool, { maxDescription }: PromptDeps): string {
  const said = oneLine(description, maxDescription);
  return said ? `${name}: ${said}` : name;
}

/** What servers say is data: it has one line and no tags that could end or begin a part of the prompt. */
function oneLine(text: string, max: number): string {
  const plain = text
    .slice(0, 10 * max)
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .replaceAll(/[<>]/g, "")
    .trim();
  return plain.length <= max ? plain : `${plain.slice(0, max - 1)}…`;
}
