import type { Caller } from "../../src/contract/caller.ts";
import type { Tool } from "../../src/contract/tool.ts";
import type { Dice } from "./dice.ts";
import { type RandomGrants, randomGrants } from "./random-grants.ts";

/** A random catalogue in which every tool says a word that nothing else says, and some are denied to everybody. */
export interface Guarded extends RandomGrants {
  readonly denied: ReadonlySet<string>;
  /** The word of a tool. */
  wordOf(tool: Pick<Tool, "name">): string;
}

const SUBJECTS = ["mail", "files", "issues", "calendar", "weather", "invoices"];

export function guarded(dice: Dice): Guarded {
  const random = randomGrants(dice);
  const words = new Map(random.tools.map(({ name }, at) => [name, `quux${at}zq`]));
  const wordOf = ({ name }: Pick<Tool, "name">) => words.get(name)!;
  const tools = random.tools.map((tool) => ({
    ...tool,
    description: `Works with ${dice.one(SUBJECTS)} and ${dice.one(SUBJECTS)}: ${wordOf(tool)}.`,
  }));
  const denied = new Set(tools.filter(() => dice.chance(0.2)).map(({ name }) => name));
  return { ...random, tools, denied, wordOf };
}

/**
 * Whether the caller may know of a tool, said in the plainest way there is: every entry is looked at by itself, patterns as regular
 * expressions. It knows nothing of how the catalogue does it.
 */
export function mayHave(
  tool: Pick<Tool, "name" | "ownName" | "origin" | "scope" | "availability" | "flags" | "floor">,
  caller: Caller,
  { toolboxes }: Pick<RandomGrants, "toolboxes">,
): boolean {
  const entries = caller.toolboxes.flatMap((name) => toolboxes[name] ?? []).concat(caller.grants);
  const isGiven = entries.some((entry) => {
    if (entry === tool.name) return true;
    if (entry === "*") return ["native", "custom"].includes(tool.origin);
    if (!entry.includes(":") || tool.scope === "admin") return false;
    const pattern = new RegExp(`^${entry.split("*").map(escaped).join(".*")}$`);
    return pattern.test(`${tool.origin}:${tool.ownName}`);
  });
  const isInScope = caller.scopes === null || caller.scopes.includes(tool.scope);
  const isOfContext = {
    main: tool.availability !== "sub-agent",
    "sub-agent": tool.availability !== "main",
    scout: tool.availability !== "main" && tool.flags.readOnly,
  }[caller.context];
  return (tool.floor || isGiven) && isInScope && isOfContext;
}

/** The names of tools and the words of tools that a text gives away, of those given. */
export function givenAway(text: string, secrets: Iterable<string>): string[] {
  const said = new Set(text.toLowerCase().match(/[a-z0-9_]+/g));
  return [...secrets].filter((secret) => said.has(secret));
}

function escaped(text: string): string {
  return text.replace(/[^\w]/g, "\\$&");
}
