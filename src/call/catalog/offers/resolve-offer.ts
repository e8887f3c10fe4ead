import type { Caller } from "../../../contract/caller.ts";
import type { OfferOrigin } from "../../../contract/offer.ts";
import type { Tool, ToolCall } from "../../../contract/tool.ts";
import { canonicalUri } from "../../../lib/address/resource-uri.ts";
import { isRecord } from "../../../lib/json.ts";
import { nearest } from "../../../lib/nearest.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { canMatchUri, costOf } from "../../../lib/text/uri-template.ts";
import { outcomeOf, type Refusal } from "../resolve.ts";
import { addressOf, isAddress, parseAddress } from "./offer-address.ts";
import { completionTool, resourceTool } from "./offer-tool.ts";
import { isPresent, type OfferEntry, type OfferView } from "./offer-view.ts";

/** A resource that a caller may ask for, with its origin and its URI there. */
export interface Resource {
  readonly from: OfferOrigin;
  readonly uri: string;
  readonly tool: Tool;
}

/** Longer URIs are never listed. */
const MAX_URI = 8192;
/** The limit for the cost of comparing a URI with the templates of one origin. */
const MAX_COST = 20_000_000;

/**
 * Finds the resource that a URI means to the caller: a listed one, one of a server named in the URI, the user interface
 * of a tool, one that a template describes, or else one of the only server that can have it, because servers need not
 * list what their tools refer to.
 */
export function resolveResource(uri: string, caller: Caller, view: OfferView): Result<Resource, Refusal> {
  if (uri.length > MAX_URI) return err(unknownResource(uri));
  const listed = view.visible("resource").get(uri)?.entry;
  if (listed) return resourceIfUsable(listed.from, listed.offered.key, uri);

  const address = view.filter.usesOwnNames ? undefined : parseAddress(uri);
  const origins = address ? view.origins.filter(({ name }) => name === address.server) : view.origins;
  if (!address && !view.filter.usesOwnNames && isAddress(uri)) return err(unknownResource(uri));
  const asWritten = address ? address.uri : uri;
  const canonical = canonicalUri(asWritten);
  if (!canonical.ok) return err(unclearUriRefusal(uri, canonical.error));
  // From here on only the canonical form counts and is sent.
  const own = canonical.value;
  const exact = view.granted.find((entry) => isResource(entry, own, origins));
  if (exact) return resourceIfUsable(exact.from, exact.offered.key, uri);
  const linked = origins.find((origin) => view.isLinked(origin, own));
  const from = linked ?? closestTemplate([...new Set([own, asWritten])], origins, view)?.from;
  if (from) return resourceIfUsable(from, own, uri);

  if (view.all.some((entry) => isResource(entry, own, origins))) {
    return err(notGrantedRefusal("resource", uri, caller));
  }
  const unlisted = origins.filter((origin) => mayHold(origin, own, view));
  const [only, ...others] =
    unlisted.length > 1 ? unlisted.filter((each) => listsSimilar(each, own)) : unlisted;
  if (only && others.length === 0) return resourceIfUsable(only, own, uri);
  return err(unlisted.length > 1 ? ambiguousRefusal(uri, unlisted) : unknownResource(uri));
}

export function resolvePrompt(name: string, caller: Caller, view: OfferView): Result<OfferEntry, Refusal> {
  const prompts = view.visible("prompt");
  const entry = prompts.get(name)?.entry ?? view.granted.find((each) => isPrompt(each, name, view));
  if (entry) return ifUsable(entry.from, entry);
  const isKnown = view.all.some((each) => isPrompt(each, name, view));
  return err(isKnown ? notGrantedRefusal("prompt", name, caller) : unknownPrompt(name, [...prompts.keys()]));
}

/** The tool that completes values for what `call` refers to. */
export function resolveCompletion(
  { arguments: params, name, caller }: ToolCall,
  view: OfferView,
): Result<Tool, Refusal> {
  const ref = isRecord(params) && isRecord(params.ref) ? params.ref : {};
  if (ref.type === "ref/prompt") {
    const prompt = resolvePrompt(name, caller, view);
    return prompt.ok ? ok(completionTool(prompt.value.from, prompt.value.offered)) : prompt;
  }
  const listed = view.visible("resource_template").get(name) ?? view.visible("resource").get(name);
  if (!listed) return err(unknownResource(name));
  const { from, offered } = listed.entry;
  return ifUsable(from, completionTool(from, offered));
}

/** The template that fixes most characters. `spellings` are of one URI, because servers write either. */
function closestTemplate(
  spellings: readonly string[],
  origins: readonly OfferOrigin[],
  view: OfferView,
): OfferEntry | undefined {
  const costs = new Map<OfferOrigin, number>();
  let closest: OfferEntry | undefined;
  for (const entry of view.granted) {
    const { template, from } = entry;
    if (!template || !origins.includes(from) || !view.isListed(entry.tool)) continue;
    if (closest && literalLength(entry) <= literalLength(closest)) continue;
    const cost = spellings.reduce((sum, uri) => sum + costOf(template, uri), costs.get(from) ?? 0);
    costs.set(from, cost);
    if (cost <= MAX_COST && spellings.some((uri) => canMatchUri(template, uri))) closest = entry;
  }
  return closest;
}

/** How many characters of a URI the template fixes. */
function literalLength({ template }: OfferEntry): number {
  let count = 0;
  for (const part of template?.parts ?? []) if (typeof part === "string") count += part.length;
  return count;
}

/** Whether the server may be asked for something that it does not list. */
function mayHold(from: OfferOrigin, uri: string, view: OfferView): boolean {
  if (!from.abilities.resources || !isPresent(from)) return false;
  const tool = resourceTool(from, uri);
  return view.filter.isGranted(tool) && view.isListed(tool);
}

/** Whether the server lists something of the same scheme and authority. */
function listsSimilar({ offers }: OfferOrigin, uri: string): boolean {
  const prefix = /^[a-z][a-z0-9+.-]*:(\/\/[^/?#]*)?/i.exec(uri)?.[0];
  return prefix !== undefined && offers.some(({ kind, key }) => kind !== "prompt" && key.startsWith(prefix));
}

function isResource(
  { canonicalUri, from }: OfferEntry,
  uri: string,
  origins: readonly OfferOrigin[],
): boolean {
  return canonicalUri === uri && origins.includes(from);
}

function isPrompt({ offered, from }: OfferEntry, name: string, { filter, origins }: OfferView): boolean {
  if (offered.kind !== "prompt" || !origins.includes(from)) return false;
  return (filter.usesOwnNames ? offered.key : offered.name) === name;
}

function resourceIfUsable(from: OfferOrigin, uri: string, knownUri: string): Result<Resource, Refusal> {
  return ifUsable(from, { from, uri, tool: resourceTool(from, uri, knownUri) });
}

function ifUsable<T>(from: OfferOrigin, value: T): Result<T, Refusal> {
  const status = from.status();
  return status.kind === "active"
    ? ok(value)
    : err({ outcome: outcomeOf(status), error: { message: status.reason } });
}

/** Clients act on the code. It tells a caller only that there is nothing for it, never why. */
function errorDetails(kind: "resource" | "prompt", name: string): Readonly<Record<string, unknown>> {
  return kind === "resource" ? { code: "resource_not_found", uri: name } : { code: "prompt_not_found" };
}

function unknownResource(uri: string): Refusal {
  return {
    outcome: "unknown_tool",
    error: {
      message: `there is no resource ${quote(uri)}`,
      remedy: "List the resources and resource templates to see which exist.",
      details: errorDetails("resource", uri),
    },
  };
}

/** Neither granted nor denied: nobody knows what such a URI would lead to. */
function unclearUriRefusal(uri: string, reason: string): Refusal {
  return {
    outcome: "invalid_arguments",
    error: {
      message: `the resource URI ${quote(uri)} is refused: ${reason}`,
      remedy: "Write the URI as the list of resources has it: without .., backslashes and needless escapes.",
      details: { uri },
    },
  };
}

function ambiguousRefusal(uri: string, origins: readonly OfferOrigin[]): Refusal {
  const candidates = origins.slice(0, 20).map(({ name }) => addressOf(name, uri));
  return {
    outcome: "ambiguous_tool",
    error: {
      message: `no server lists the resource ${quote(uri)}, and several may have it`,
      remedy: `Name the server in the URI, for example ${candidates[0]}.`,
      details: { ...errorDetails("resource", uri), candidates },
    },
  };
}

function unknownPrompt(name: string, known: readonly string[]): Refusal {
  const guess = nearest(name, known);
  return {
    outcome: "unknown_tool",
    error: {
      message: `there is no prompt ${quote(name)}${guess ? `; did you mean ${guess}?` : ""}`,
      remedy: "List the prompts to see which exist.",
      details: { ...errorDetails("prompt", name), ...(guess ? { nearest: guess } : {}) },
    },
  };
}

function notGrantedRefusal(kind: "resource" | "prompt", name: string, { agentName }: Caller): Refusal {
  return {
    outcome: "not_granted",
    error: {
      message: `the ${kind} ${quote(name)} is not granted to agent ${agentName}`,
      remedy:
        "Ask a person to add a pattern that covers it to a toolbox of this agent, for example mcp:<server>:*.",
      details: errorDetails(kind, name),
    },
  };
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 200));
}
