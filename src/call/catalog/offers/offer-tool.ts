import type { CompletionRequest, OfferDefinition, Offered, OfferOrigin } from "../../../contract/offer.ts";
import type { JsonSchema, Tool, ToolResult } from "../../../contract/tool.ts";
import { canonicalUri } from "../../../lib/address/resource-uri.ts";
import { isRecord } from "../../../lib/json.ts";
import { addressOf, isAddress } from "./offer-address.ts";

/**
 * Offers as tools, so that a request for one takes the path of every call. The permission is `<origin>:resource:<uri>`,
 * `<origin>:resource_template:<template>` or `<origin>:prompt:<name>`; rules may also name `resource:…`, `prompt:…` and
 * `completion:…` of any origin.
 */

/**
 * `shown` is the URI by which the caller knows the resource. Grants and rules compare the canonical form of `uri`;
 * passing a URI that readers interpret differently is a bug.
 */
export function resourceTool(
  from: OfferOrigin,
  uri: string,
  knownUri = uri,
  definition?: OfferDefinition,
): Tool {
  const canonical = comparableUri(uri);
  return {
    ...common(from, `resource:${canonical}`, definition),
    name: `resource:${isAddress(knownUri) ? addressOf(from.name, canonical) : canonical}`,
    inputSchema: NO_ARGUMENTS,
    reads: canonical,
    run: async (_, context) => renameUri(await from.readResource(uri, context), uri, knownUri),
  };
}

/** Templates can be granted and ruled; what is read through one is a resource. */
export function templateTool(from: OfferOrigin, { key, definition }: Offered): Tool {
  const { reads: _, ...tool } = resourceTool(from, key, key, definition);
  return { ...tool, ...namesOf("resource_template", key) };
}

export function promptTool(from: OfferOrigin, { key, name, definition }: Offered): Tool {
  return {
    ...common(from, `prompt:${key}`, definition),
    name: `prompt:${name}`,
    inputSchema: TEXTS,
    run: (args, context) => from.getPrompt(key, args, context),
  };
}

/** Completes an argument of a prompt or a variable of a template; granted together with that prompt or template. */
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
      // The schema has checked it.
      const { argument, context: chosen } = args as unknown as CompletionRequest;
      return from.complete({ ref, argument, ...(chosen === undefined ? {} : { context: chosen }) }, context);
    },
  };
}

/** The form that grants and rules compare. */
export function comparableUri(uri: string): string {
  const canonical = canonicalUri(uri);
  return canonical.ok ? canonical.value : uri;
}

function namesOf(kind: Offered["kind"], key: string): Pick<Tool, "name" | "ownName"> {
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
    // The same as for tools of servers: `*` covers only Toolkeep's own.
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

/** A result comes back under the URI that the caller used. */
function renameUri(result: ToolResult, uri: string, knownUri: string): ToolResult {
  if (uri === knownUri || result.kind !== "output" || !Array.isArray(result.structured?.contents))
    return result;
  const contents = result.structured.contents.map((content: unknown) =>
    isRecord(content) && content.uri === uri ? { ...content, uri: knownUri } : content,
  );
  return { ...result, structured: { ...result.structured, contents } };
}

/** Compiled schemas are cached by object identity, so each schema is one object. */
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
