/** How the tools that come with Toolkeep are written, whichever folder offers them. */

import type { z } from "zod";
import type { Scope } from "./caller.ts";
import { ToolkeepError } from "./errors.ts";
import { type Infer, inputSchema } from "./shape.ts";
import type {
  Availability,
  Capability,
  Content,
  Domain,
  JsonSchema,
  SharedContent,
  Tool,
  ToolContext,
  ToolFlags,
  ToolResult,
  ToolStatus,
} from "./tool.ts";
import { text } from "./tool.ts";

/** What such a tool has to say about itself; the rest is the same for all of them. */
export interface Definition<Args> {
  readonly name: string;
  readonly title: string;
  readonly domain: Domain;
  readonly description: string;
  readonly properties: Readonly<Record<keyof Args & string, JsonSchema>>;
  readonly required: readonly (keyof Args & string)[];
  /** What is not named is false. */
  readonly flags?: Partial<ToolFlags>;
  /** Reaches what is outside this machine's control: the web. */
  readonly openWorld?: boolean;
  /** What it can do beside what its domain says. */
  readonly capabilities?: readonly Capability[];
  /** Asked before every list and call, from memory; absent: always active. */
  readonly status?: () => ToolStatus;
  readonly scope: Scope;
  readonly availability?: Availability;
  readonly timeoutMs?: number;
  /** See `Tool.labels`. */
  readonly labels?: readonly string[];
  /** See `Tool.verbatim`. */
  readonly verbatim?: boolean;
  /** It gives what is kept elsewhere already: where its output is cut, no second copy is made. */
  readonly rereads?: boolean;
  /** The arguments as people and the audit may see them, whether they fit or not; absent: as they are. */
  readonly shownArguments?: (args: unknown) => unknown;
  /** See `Tool.hostsOf`. */
  readonly hostsOf?: (args: Args) => Iterable<string>;
  /** See `Tool.takesSecretNames`. */
  readonly takesSecretNames?: boolean;
  run(args: Args, context: ToolContext): Promise<ToolResult>;
}

/** The same with its arguments as one shape. */
export type ShapedDefinition<Shape extends z.ZodObject> = Omit<
  Definition<Infer<Shape>>,
  "properties" | "required"
> & { readonly input: Shape };

/** As `toolOf` takes it. */
export function plainDefinition<Shape extends z.ZodObject>({
  input,
  ...definition
}: ShapedDefinition<Shape>): Definition<Infer<Shape>> {
  const { properties, required } = inputSchema(input) as Pick<
    Definition<Infer<Shape>>,
    "properties" | "required"
  >;
  return { ...definition, properties, required };
}

/** By what a domain is about; a tool of none of these does nothing outside Toolkeep. */
const BY_DOMAIN: Partial<Record<Domain, Capability>> = {
  shell: "shell",
  web: "net",
  people: "people",
  vault: "secrets",
  agents: "agents",
  toolboxes: "agents",
};

function capabilitiesOf(
  { domain, scope, capabilities = [] }: Pick<Definition<never>, "domain" | "scope" | "capabilities">,
  { readOnly }: ToolFlags,
): readonly Capability[] {
  const own = domain === "files" ? (readOnly ? "fs.read" : "fs.write") : BY_DOMAIN[domain];
  return [...(own ? [own] : []), ...capabilities, ...(scope === "admin" ? (["admin"] as const) : [])];
}

/** `explain` turns what `run` throws into a sentence for the caller; undefined: it is a bug and thrown on. */
export function toolOf<Args extends object>(
  definition: Definition<Args>,
  from: Pick<Tool, "origin" | "floor" | "wildcard">,
  explain: (thrown: unknown) => string | undefined,
): Tool {
  const { name, title, domain, description, properties, required, scope } = definition;
  const flags = { readOnly: false, concurrencySafe: false, destructive: false, ...definition.flags };
  return {
    name,
    ownName: name,
    title,
    domain,
    description,
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    published: { annotations: annotations(definition, flags) },
    flags,
    capabilities: capabilitiesOf(definition, flags),
    // Pages of anybody.
    ...(domain === "web" && { labels: ["untrusted_content"] }),
    ...(definition.labels && { labels: definition.labels }),
    ...(definition.verbatim && { verbatim: true }),
    scope,
    availability: definition.availability ?? "both",
    ...from,
    timeoutMs: definition.timeoutMs ?? 60_000,
    ...(definition.rereads && { rereads: true }),
    ...(definition.hostsOf && { hostsOf: (args) => definition.hostsOf!(args as Args) }),
    ...(definition.takesSecretNames && { takesSecretNames: true }),
    ...(definition.shownArguments && { shownArguments: definition.shownArguments }),
    status: definition.status ?? (() => ({ kind: "active" })),
    run: (args, context) => runSafely(definition, args as Args, context, explain),
  };
}

/** A tool that manages Toolkeep itself: only by name, only for the agent of a conversation. */
export function platformTool<Args extends object>(
  definition: Omit<Definition<Args>, "scope" | "availability">,
  explain: (thrown: unknown) => string | undefined,
): Tool {
  return toolOf<Args>(
    { ...definition, scope: "admin", availability: "main" },
    { origin: "platform", floor: false, wildcard: false },
    explain,
  );
}

/** For `explain`: what whoever called did wrong. */
export function explainRefusal(thrown: unknown): string | undefined {
  return thrown instanceof ToolkeepError && thrown.status < 500 ? thrown.message : undefined;
}

export function output(
  message: string,
  structured?: Readonly<Record<string, unknown>>,
  shared?: SharedContent,
): ToolResult {
  return outputContent([text(message)], structured, shared);
}

export function outputContent(
  content: readonly Content[],
  structured?: Readonly<Record<string, unknown>>,
  shared?: SharedContent,
): ToolResult {
  return { kind: "output", content, ...(structured && { structured }), ...(shared && { shared }) };
}

/** `message` tells the model what was wrong and what to do about it. */
export function failed(message: string): ToolResult {
  return { kind: "failed", message };
}

async function runSafely<Args>(
  definition: Definition<Args>,
  args: Args,
  context: ToolContext,
  explain: (thrown: unknown) => string | undefined,
): Promise<ToolResult> {
  try {
    context.signal.throwIfAborted();
    return await definition.run(args, context);
  } catch (thrown) {
    if (context.signal.aborted) return failed("The call was cancelled.");
    const explained = explain(thrown);
    if (explained === undefined) throw thrown;
    return failed(explained);
  }
}

function annotations(
  { title, openWorld }: Pick<Definition<object>, "title" | "openWorld">,
  flags: ToolFlags,
): Readonly<Record<string, unknown>> {
  return {
    title,
    readOnlyHint: flags.readOnly,
    destructiveHint: flags.destructive,
    openWorldHint: openWorld === true,
  };
}
