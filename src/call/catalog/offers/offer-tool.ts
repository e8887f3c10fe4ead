import type { CompletionAsked, OfferDefinition, Offered, OfferOrigin } from "../../../contract/offer.ts";
import type { JsonSchema, Tool, ToolResult } from "../../../contract/tool.ts";
import { canonicalUri } from "../../../lib/address/resource-uri.ts";
import { isRecord } from "../../../lib/json.ts";
import { addressOf, isAddress } from "./offer-address.ts";

/**
 * Offers as tools, so that asking for one takes the path of every call. The permission is
 * `<origin>:resource:<uri>`, `<origin>:resource_template:<template>` or `<origin>:prompt:<name>`; rules may also name
 * `resource:…`, `prompt:…` and `completion:…` of whatever origin.
 */

/**
 * `shown` is the URI by which the caller knows it. Grants and rules compare neither text but what readers make of it: whoever
 * gives a URI that they differ about has a bug.
 */
export function resourceTool(
  from: OfferOrigin,
  uri: string,
  shown = uri,
  definition?: OfferDefinition,
): Tool {
  const form = comparedUri(uri);
  return {
    ...common(from, `resource:${form}`, definition),
    name: `resource:${isAddress(shown) ? addressOf(from.name, form) : form}`,
    inputSchema: NO_ARGUMENTS,
    reads: form,
    run: async (_, context) => renamed(await from.readResource(uri, context), uri, shown),
  };
}

/** What is granted and ruled with a template; what is read through one is a resource. */
export function templateTool(from: OfferOrigin, { key, definition }: Offered): Tool {
  const { reads: _, ...tool } = resourceTool(from, key, key, definition);
  return { ...tool, ...named("resource_template", key) };
}

export function promptTool(from: OfferOrigin, { key, name, definition }: Offered): Tool {
  return {
    ...common(from, `prompt:${key}`, definition),
    name: `prompt:${name}`,
    inputSchema: TEXTS,
    run: (args, context) => from.getPrompt(key, args, context),
  };
}

/** Values for an argument of a prompt or a variable of a template; granted with what it is for. */
export function completionTool(from: OfferOrigin, offered: Offered): Tool {
  const { kind, key, name } = offered;
  const ref =
    kind === "prompt"
      ? ({ type: "ref/prompt", name: key } as const)
      : ({ type: "ref/resource", uri: key } as const);
  return {
    ...common(from, `${kind}:${key}`, undefined),
    name: `completion:${kind}:${name}`,
    inputSchema: COMPLETION,
    run: (args, context) => {
      // As the schema has it.
      const { argument, context: chosen } = args as unknown as CompletionAsked;
      return from.complete({ ref, argument, ...(chosen === undefined ? {} : { context: chosen }) }, context);
    },
  };
}

/** As grants and rules compare it. */
export function comparedUri(uri: string): string {
  const form = canonicalUri(uri);
  return form.ok ? form.value : uri;
}

function named(kind: Offered["kind"], key: string): Pick<Tool, "name" | "ownName"> {
  return { name: `${kind}:${key}`, ownName: `${kind}:${key}` };
}

function common(from: OfferOrigin, ownName: string, definition: OfferDefinition | undefined) {
  return {
    ownName,
    description: typeof definition?.description === "string" ? definition.description : "",
    flags: { readOnly: true, concurrencySafe: true, destructive: false },
    scope: "mcp",
    availability: "both",
    floor: false,
    // As with the tools of servers: `*` stands for what Toolkeep itself has.
    wildcard: false,
    origin: from.origin,
    untrusted: from.untrusted,
    startsElsewhere: true,
    verbatim: true,
    timeoutMs: from.timeoutMs,
    progressExtendsTimeout: from.progressExtendsTimeout,
    status: () => from.status(),
  } as const;
}

/** What was asked for by another URI comes back with that one. */
function renamed(result: ToolResult, uri: string, shown: string): ToolResult {
  if (uri === shown || result.kind !== "output" || !Array.isArray(result.structured?.contents)) return result;
  const contents = result.structured.contents.map((content: unknown) =>
    isRecord(content) && content.uri === uri ? { ...content, uri: shown } : content,
  );
  return { ...result, structured: { ...result.structured, contents } };
}

/** Compiled schemas are kept by the object, so there is one each. */
const NO_ARGUMENTS: JsonSchema = { type: "object" };
const TEXTS: JsonSchema = { type: "object", additionalProperties: { type: "string" } };
const COMPLETION: JsonSchema = {
  type: "object",
  required: ["argument"],
  properties: {
    ref: { type: "object" },
    argument: {
      type: "object",
      required: ["name", "value"],
      properties: { name: { type: "string" }, value: { type: "string" } },
    },
    context: { type: "object", properties: { arguments: TEXTS } },
  },
};
