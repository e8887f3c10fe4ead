/** Defines the tools that come with Toolkeep, in any folder. */

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

/** The properties that such a tool declares. All others are the same for every native tool. */
export interface Definition<Args> {
  readonly name: string;
  readonly title: string;
  readonly domain: Domain;
  readonly description: string;
  readonly properties: Readonly<Record<keyof Args & string, JsonSchema>>;
  readonly required: readonly (keyof Args & string)[];
  /** Flags that are missing are false. */
  readonly flags?: Partial<ToolFlags>;
  /** It reaches systems outside this machine: the web. */
  readonly openWorld?: boolean;
  /** Capabilities besides those of its domain. */
  readonly capabilities?: readonly Capability[];
  /** Called before every list and call; must not do I/O. Absent: always active. */
  readonly status?: () => ToolStatus;
  readonly scope: Scope;
  readonly availability?: Availability;
  readonly timeoutMs?: number;
  /** See `Tool.labels`. */
  readonly labels?: readonly string[];
  /** See `Tool.verbatim`. */
  readonly verbatim?: boolean;
  /** It returns text that is stored already, so that a cut output needs no second copy. */
  readonly rereads?: boolean;
  /** Returns the arguments as people and the audit may see them, valid or not. Absent: unchanged. */
  readonly shownArguments?: (args: unknown) => unknown;
  /** See `Tool.hostsOf`. */
  readonly hostsOf?: (args: Args) => Iterable<string>;
  /** See `Tool.takesSecretNames`. */
  readonly takesSecretNames?: boolean;
  run(args: Args, context: ToolContext): Promise<ToolResult>;
}

/** A definition with its arguments as one shape. */
export type ShapedDefinition<Shape extends z.ZodObject> = Omit<
  Definition<Infer<Shape>>,
  "properties" | "required"
> & { readonly input: Shape };

/** Converts a shaped definition for `toolOf`. */
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

/** The capability that a domain implies. Tools of other domains do nothing outside Toolkeep. */
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

/** `explain` turns an error of `run` into a sentence for the caller; undefined means a bug, which is thrown again. */
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
    // Anybody can write web pages.
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

/** Defines a tool that manages Toolkeep itself. It is granted only by name, and only to the agent of a conversation. */
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

/** For `explain`: the message of an error that the caller caused. */
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
