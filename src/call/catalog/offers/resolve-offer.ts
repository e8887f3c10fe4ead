import type { Caller } from "../../../contract/caller.ts";
import type { OfferOrigin } from "../../../contract/offer.ts";
import type { Tool, ToolCall } from "../../../contract/tool.ts";
import { canonicalUri } from "../../../lib/address/resource-uri.ts";
import { isRecord } from "../../../lib/json.ts";
import { nearest } from "../../../lib/nearest.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { costOf, mayComeFrom } from "../../../lib/text/uri-template.ts";
import { outcomeOf, type Refused } from "../resolve.ts";
import { addressOf, isAddress, parseAddress } from "./offer-address.ts";
import { completionTool, resourceTool } from "./offer-tool.ts";
import { type Entry, isPresent, type OfferView } from "./offer-view.ts";

/** A resource that a caller may ask for: where it is, and the URI by which the caller knows it. */
export interface Resource {
  readonly from: OfferOrigin;
  readonly uri: string;
  readonly tool: Tool;
}

/** Longer URIs are never listed. */
const MAX_URI = 8192;
/** What comparing a URI with the templates of one origin may cost. */
const MAX_COST = 20_000_000;

/**
 * Finds the resource that a URI means to the caller: one that is listed, one of a server named in the URI, the user
 * interface of a tool, one that a template describes, or else one of the only server it can be meant for, because
 * servers need not list what their tools refer to.
 */
export function resolveResource(uri: string, caller: Caller, view: OfferView): Result<Resource, Refused> {
  if (uri.length > MAX_URI) return err(noResource(uri));
  const listed = view.shown("resource").get(uri)?.entry;
  if (listed) return usable(listed.from, listed.offered.key, uri);

  const address = view.sight.ownNames ? undefined : parseAddress(uri);
  const origins = address ? view.origins.filter(({ name }) => name === address.server) : view.origins;
  if (!address && !view.sight.ownNames && isAddress(uri)) return err(noResource(uri));
  const written = address ? address.uri : uri;
  const form = canonicalUri(written);
  if (!form.ok) return err(unclearUri(uri, form.error));
  // From here on only what every reader makes of it counts, and is sent.
  const own = form.value;
  const exact = view.granted.find((entry) => isResource(entry, own, origins));
  if (exact) return usable(exact.from, exact.offered.key, uri);
  const linked = origins.find((origin) => view.isLinked(origin, own));
  const from = linked ?? closestTemplate([...new Set([own, written])], origins, view)?.from;
  if (from) return usable(from, own, uri);

  if (view.everything.some((entry) => isResource(entry, own, origins))) {
    return err(notGranted("resource", uri, caller));
  }
  const unlisted = origins.filter((origin) => mayHold(origin, own, view));
  const [only, ...others] = unlisted.length > 1 ? unlisted.filter((each) => isLike(each, own)) : unlisted;
  if (only && others.length === 0) return usable(only, own, uri);
  return err(unlisted.length > 1 ? couldBeAny(uri, unlisted) : noResource(uri));
}

export function resolvePrompt(name: string, caller: Caller, view: OfferView): Result<Entry, Refused> {
  const prompts = view.shown("prompt");
  const entry = prompts.get(name)?.entry ?? view.granted.find((each) => isPrompt(each, name, view));
  if (entry) return whileUsable(entry.from, entry);
  const isKnown = view.everything.some((each) => isPrompt(each, name, view));
  return err(isKnown ? notGranted("prompt", name, caller) : noPrompt(name, [...prompts.keys()]));
}

/** The tool that completes values for what `call` refers to. */
export function resolveCompletion(
  { arguments: params, name, caller }: ToolCall,
  view: OfferView,
): Result<Tool, Refused> {
  const ref = isRecord(params) && isRecord(params.ref) ? params.ref : {};
  if (ref.type === "ref/prompt") {
    const prompt = resolvePrompt(name, caller, view);
    return prompt.ok ? ok(completionTool(prompt.value.from, prompt.value.offered)) : prompt;
  }
  const listed = view.shown("resource_template").get(name) ?? view.shown("resource").get(name);
  if (!listed) return err(noResource(name));
  const { from, offered } = listed.entry;
  return whileUsable(from, completionTool(from, offered));
}

/** The one that says most; `spellings`: of one URI, of which servers write either. */
function closestTemplate(
  spellings: readonly string[],
  origins: readonly OfferOrigin[],
  view: OfferView,
): Entry | undefined {
  const costs = new Map<OfferOrigin, number>();
  let closest: Entry | undefined;
  for (const entry of view.granted) {
    const { template, from } = entry;
    if (!template || !origins.includes(from) || !view.isListed(entry.tool)) continue;
    if (closest && spelledOut(entry) <= spelledOut(closest)) continue;
    const cost = spellings.reduce((sum, uri) => sum + costOf(template, uri), costs.get(from) ?? 0);
    costs.set(from, cost);
    if (cost <= MAX_COST && spellings.some((uri) => mayComeFrom(template, uri))) closest = entry;
  }
  return closest;
}

/** How many characters of a URI its template fixes. */
function spelledOut({ template }: Entry): number {
  let count = 0;
  for (const part of template?.parts ?? []) if (typeof part === "string") count += part.length;
  return count;
}

/** Whether the server may be asked for something that it does not list. */
function mayHold(from: OfferOrigin, uri: string, view: OfferView): boolean {
  if (!from.abilities.resources || !isPresent(from)) return false;
  const tool = resourceTool(from, uri);
  return view.sight.isGranted(tool) && view.isListed(tool);
}

/** Whether the server lists something of the same scheme and authority. */
function isLike({ offers }: OfferOrigin, uri: string): boolean {
  const beginning = /^[a-z][a-z0-9+.-]*:(\/\/[^/?#]*)?/i.exec(uri)?.[0];
  return (
    beginning !== undefined && offers.some(({ kind, key }) => kind !== "prompt" && key.startsWith(beginning))
  );
}

function isResource({ form, from }: Entry, uri: string, origins: readonly OfferOrigin[]): boolean {
  return form === uri && origins.includes(from);
}

function isPrompt({ offered, from }: Entry, name: string, { sight, origins }: OfferView): boolean {
  if (offered.kind !== "prompt" || !origins.includes(from)) return false;
  return (sight.ownNames ? offered.key : offered.name) === name;
}

function usable(from: OfferOrigin, uri: string, shown: string): Result<Resource, Refused> {
  return whileUsable(from, { from, uri, tool: resourceTool(from, uri, shown) });
}

function whileUsable<T>(from: OfferOrigin, value: T): Result<T, Refused> {
  const status = from.status();
  return status.kind === "active"
    ? ok(value)
    : err({ outcome: outcomeOf(status), error: { message: status.reason } });
}

/** Clients act on the code; a caller learns no more from it than that there is nothing for it. */
function details(kind: "resource" | "prompt", name: string): Readonly<Record<string, unknown>> {
  return kind === "resource" ? { code: "resource_not_found", uri: name } : { code: "prompt_not_found" };
}

function noResource(uri: string): Refused {
  return {
    outcome: "unknown_tool",
    error: {
      message: `there is no resource ${quoted(uri)}`,
      remedy: "List the resources and resource templates to see what there is.",
      details: details("resource", uri),
    },
  };
}

/** Neither granted nor denied: what it would lead to is not known. */
function unclearUri(uri: string, reason: string): Refused {
  return {
    outcome: "invalid_arguments",
    error: {
      message: `the resource URI ${quoted(uri)} is refused: ${reason}`,
      remedy: "Write the URI as the list of resources has it: without .., backslashes and needless escapes.",
      details: { uri },
    },
  };
}

function couldBeAny(uri: string, origins: readonly OfferOrigin[]): Refused {
  const candidates = origins.slice(0, 20).map(({ name }) => addressOf(name, uri));
  return {
    outcome: "ambiguous_tool",
    error: {
      message: `no server lists the resource ${quoted(uri)}, and several may have it`,
      remedy: `Say which: ${candidates[0]}, for one.`,
      details: { ...details("resource", uri), candidates },
    },
  };
}

function noPrompt(name: string, known: readonly string[]): Refused {
  const guess = nearest(name, known);
  return {
    outcome: "unknown_tool",
    error: {
      message: `there is no prompt ${quoted(name)}${guess ? `; did you mean ${guess}?` : ""}`,
      remedy: "List the prompts to see what there is.",
      details: { ...details("prompt", name), ...(guess ? { nearest: guess } : {}) },
    },
  };
}

function notGranted(kind: "resource" | "prompt", name: string, { agentName }: Caller): Refused {
  return {
    outcome: "not_granted",
    error: {
      message: `the ${kind} ${quoted(name)} is not granted to agent ${agentName}`,
      remedy:
        "Ask a person to add a pattern that covers it to a toolbox of this agent, mcp:<server>:* for one.",
      details: details(kind, name),
    },
  };
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 200));
}
