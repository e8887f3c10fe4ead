import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { ListedTool } from "../../call/catalog/tool-interface.ts";
import type { Caller } from "../../contract/caller.ts";
import type { OfferKind } from "../../contract/offer.ts";
import {
  type Answering,
  type CallMeta,
  type Content,
  type ToolCall,
  type ToolOutcome,
  text,
} from "../../contract/tool.ts";
import type { Hub } from "../../hub.ts";
import { extentOf, isRecord } from "../../lib/json.ts";
import { toMcpTool } from "./mcp-tool.ts";
import {
  invalidParams,
  type Params,
  progressTokenOf,
  RPC,
  type RpcFault,
  type RpcRequest,
} from "./messages.ts";
import type { ServingDeps } from "./serving.ts";

/** How long a client without a subscription may keep a list before it asks again. */
const LIST_TTL_MS = 30_000;
/** How long what was read from a resource keeps: the server may change it at any time. */
const READ_TTL_MS = 0;

/** What stands around one request: who made it, in which era, and what can be said before the answer. */
export interface Exchange {
  readonly era: "legacy" | "modern";
  readonly caller: Caller;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Sends a notification ahead of the answer. */
  notify(method: string, params: Params): void;
  /** Whom a tool can ask while it runs. */
  readonly answering?: Answering;
  readonly rounds?: ToolCall["rounds"];
  readonly logLevel?: string;
}

/** What a method comes to: a result as JSON text, or an error. */
export type Answered = string | RpcFault;
export type Method = (
  request: RpcRequest,
  exchange: Exchange,
  deps: ServingDeps,
) => Answered | Promise<Answered>;

/** What both eras have; each adds its own. */
const METHODS: Readonly<Record<string, Method>> = {
  "tools/list": async (_request, { era, caller }, { lists, identity }) => {
    const known = lists.for(caller);
    const { text, isWhole } = known instanceof Promise ? await known : known;
    if (era === "legacy") return `{"tools":${text}}`;
    // What the caller finds next belongs into its list at once.
    return `{"tools":${text},${identity.listTail(isWhole ? LIST_TTL_MS : 0)}}`;
  },
  "resources/list": listOf("resource", "resources"),
  "resources/templates/list": listOf("resource_template", "resourceTemplates"),
  "prompts/list": listOf("prompt", "prompts"),
  "tools/call": use(toolCall, toolAnswer),
  "resources/read": use(resourceRead, offerAnswer(READ_TTL_MS)),
  "prompts/get": use(promptGet, offerAnswer()),
  "completion/complete": use(completion, offerAnswer()),
};

/** A method of both eras; undefined for one that there is not, or not for what this caller has. */
export function methodFor(name: string, caller: Caller, { offers }: Pick<Hub, "offers">): Method | undefined {
  if (!Object.hasOwn(METHODS, name)) return undefined;
  const group = name.slice(0, name.indexOf("/"));
  if (group === "tools") return METHODS[name];
  const able = offers.abilitiesFor(caller);
  const isOffered =
    group === "resources" ? able.resources : group === "prompts" ? able.prompts : able.completions;
  return isOffered ? METHODS[name] : undefined;
}

/** A call as it goes to the hub, without what stands around it. */
export type Asked = Pick<ToolCall, "kind" | "name" | "arguments">;

/** What a request for a tool, resource, prompt or completion asks of the hub; undefined where it asks nothing of it. */
export function askedOf({ method, params }: RpcRequest): Asked | RpcFault | undefined {
  return Object.hasOwn(ASKED, method) ? ASKED[method]?.(params) : undefined;
}

const ASKED: Readonly<Record<string, (params: Params) => Asked | RpcFault>> = {
  "tools/call": toolCall,
  "resources/read": resourceRead,
  "prompts/get": promptGet,
  "completion/complete": completion,
};

/** The answer to a request that `askedOf` understood, made from how the call ended. */
export function answerOf(
  request: RpcRequest,
  outcome: ToolOutcome,
  exchange: Pick<Exchange, "era">,
  deps: ServingDeps,
): Answered {
  const answer = request.method === "tools/call" ? toolAnswer : offerAnswer(ttlOf(request.method));
  return answer(request, outcome, exchange, deps);
}

export function isFault(value: object | string): value is RpcFault {
  return typeof value === "object" && "code" in value;
}

function ttlOf(method: string): number | undefined {
  return method === "resources/read" ? READ_TTL_MS : undefined;
}

type Answer = (
  request: RpcRequest,
  outcome: ToolOutcome,
  exchange: Pick<Exchange, "era">,
  deps: ServingDeps,
) => Answered;

function use(asked: (params: Params) => Asked | RpcFault, answer: Answer): Method {
  return async (request, exchange, deps) => {
    const what = asked(request.params);
    if (isFault(what)) return what;
    const outcome = await deps.hub.callTool(callOf(request, what, exchange));
    return answer(request, outcome, exchange, deps);
  };
}

type MadeCall = { -readonly [Field in keyof ToolCall]: ToolCall[Field] };

/** The call with everything around it. */
export function callOf(request: RpcRequest, asked: Asked, exchange: Exchange): MadeCall {
  const { caller, signal, answering, rounds, logLevel } = exchange;
  const call: MadeCall = {
    name: asked.name,
    arguments: asked.arguments,
    caller,
    via: "mcp",
    signal,
    onNotice: ({ method, params }) => exchange.notify(method, params),
  };
  if (asked.kind !== undefined) call.kind = asked.kind;
  if (answering) call.answering = answering;
  if (rounds) call.rounds = rounds;
  if (logLevel !== undefined) call.logLevel = logLevel;
  const meta = passedOn(request.params);
  if (meta) call.meta = meta;
  if (typeof meta?.traceparent === "string") call.traceparent = meta.traceparent;
  const progressToken = progressTokenOf(request.params);
  if (progressToken !== undefined)
    call.onProgress = (update) => exchange.notify("notifications/progress", { ...update, progressToken });
  return call;
}

function toolCall({ name, arguments: args }: Params): Asked | RpcFault {
  if (typeof name !== "string") return invalidParams("name must be the name of a tool");
  return { name, arguments: args ?? {} };
}

function resourceRead({ uri }: Params): Asked | RpcFault {
  return typeof uri === "string"
    ? { kind: "resource", name: uri, arguments: {} }
    : invalidParams("uri must be the URI of a resource");
}

function promptGet({ name, arguments: args }: Params): Asked | RpcFault {
  return typeof name === "string"
    ? { kind: "prompt", name, arguments: args ?? {} }
    : invalidParams("name must be the name of a prompt");
}

function completion({ ref, argument, context }: Params): Asked | RpcFault {
  const name = isRecord(ref) && (ref.type === "ref/prompt" ? ref.name : ref.uri);
  if (typeof name !== "string" || !isRecord(argument)) {
    return invalidParams("ref must name a prompt or a resource template, and argument what is completed");
  }
  return {
    kind: "completion",
    name,
    arguments: { ref, argument, ...(context !== undefined && { context }) },
  };
}

function toolAnswer(
  _request: RpcRequest,
  outcome: ToolOutcome,
  { era }: Pick<Exchange, "era">,
  { hub, identity }: ServingDeps,
): Answered {
  if (outcome.fault) return outcome.fault;
  const result = toCallResult(
    outcome,
    outcome.tool === undefined ? undefined : hub.catalog.get(outcome.tool),
    era,
  );
  return JSON.stringify(era === "legacy" ? result : identity.complete(result));
}

function offerAnswer(ttlMs?: number): Answer {
  return ({ params }, outcome, { era }, { identity }) => {
    const result = resultOf(outcome);
    if (!result) return offerFault(outcome, params, era);
    if (era === "legacy") return JSON.stringify(result);
    // What one agent may read is not for whoever else the same cache serves.
    const kept = ttlMs === undefined ? {} : { ttlMs, ...result, cacheScope: "private" };
    return JSON.stringify(identity.complete({ ...result, ...kept }));
  };
}

function resultOf({ outcome, structured, error }: ToolOutcome): Params | undefined {
  if (outcome === "ok") return structured ?? {};
  // Where each use would have to be approved, nothing is completed, and typing goes on undisturbed.
  return error?.details?.code === "not_completed" ? { completion: { values: [] } } : undefined;
}

const NOT_FOUND: readonly unknown[] = ["resource_not_found", "prompt_not_found"];

export function offerFault(outcome: ToolOutcome, params: Params, era: Exchange["era"]): RpcFault {
  const uri = typeof params.uri === "string" ? { uri: params.uri } : {};
  const { fault, error } = outcome;
  if (fault) return { ...fault, code: codeFor(fault.code, era), data: withUri(fault.data, uri) };
  const isMissing = NOT_FOUND.includes(error?.details?.code);
  const code = isMissing && params.uri !== undefined ? RPC.resourceNotFound : RPC.invalidParams;
  const isCallers = isMissing || outcome.outcome === "invalid_arguments";
  return {
    code: isCallers ? codeFor(code, era) : RPC.internalError,
    message: error?.message ?? outcome.text,
    data: { outcome: outcome.outcome, ...uri },
  };
}

/** From 2026-07-28 on a resource that there is not is a parameter like any other that is wrong. */
function codeFor(code: number, era: Exchange["era"]): number {
  return era === "modern" && code === RPC.resourceNotFound ? RPC.invalidParams : code;
}

function withUri(data: unknown, uri: Params): unknown {
  if (data === undefined) return Object.keys(uri).length > 0 ? uri : undefined;
  return isRecord(data) ? { ...uri, ...data } : data;
}

/** Servers list their tools first: who asks for the rest meanwhile waits for it rather than read that there is none. */
function listOf(kind: OfferKind, key: string): Method {
  const list: Method = (_request, { era, caller }, { hub, offerTexts, identity }) => {
    const text = offerTexts.of(hub.offers.visible(caller, kind));
    return era === "legacy" ? `{"${key}":${text}}` : `{"${key}":${text},${identity.listTail(LIST_TTL_MS)}}`;
  };
  return (request, exchange, deps) => {
    const pending = deps.hub.offers.pending(exchange.caller);
    return pending ? pending.then(() => list(request, exchange, deps)) : list(request, exchange, deps);
  };
}

/** What a client says about itself with each request of the modern era, or once per session. */
export function capabilitiesIn(value: unknown): Params {
  const declared = isRecord(value) ? value : {};
  const { elicitation, sampling, roots } = declared;
  return {
    ...(isRecord(elicitation) && { elicitation }),
    ...(isRecord(sampling) && { sampling }),
    ...(isRecord(roots) && { roots }),
  };
}

/**
 * The outcome of a call as MCP puts it. Everything but `ok` is a result with `isError`, never a protocol error:
 * a result is what reaches the model, which can then act on it.
 */
export function toCallResult(
  outcome: ToolOutcome,
  tool: ListedTool | undefined,
  era: "legacy" | "modern",
): CallToolResult {
  const structured = outcome.structured ?? (era === "modern" ? outcome.structuredValue : undefined);
  const incomplete = structured === undefined && tool !== undefined && promisesStructure(tool);
  const content = outcome.content.length > 0 ? outcome.content : [text(outcome.text)];
  return {
    content: content.map(toContentBlock),
    ...(structured !== undefined && { structuredContent: structured }),
    ...((outcome.outcome !== "ok" || incomplete) && { isError: true }),
    _meta: { ...outcome.meta, "toolkeep/outcome": outcome.outcome, "toolkeep/call_id": outcome.callId },
  };
}

/**
 * Strict clients refuse a success without the structured content that the listed output schema promises, as when it
 * was too large to send; as an error they show the model what there is. A schema that is not listed promises nothing.
 */
function promisesStructure(tool: ListedTool): boolean {
  return tool.outputSchema !== undefined && toMcpTool(tool).outputSchema !== undefined;
}

/** A block of a kind that MCP does not know is shown as text: clients refuse the whole result otherwise. */
function toContentBlock(content: Content): ContentBlock {
  const isKnown = Object.hasOwn(SHAPES, content.type) && SHAPES[content.type]?.(content);
  return isKnown ? (content as ContentBlock) : { type: "text", text: JSON.stringify(content) };
}

const areTexts = (content: Content, ...keys: string[]) =>
  keys.every((key) => typeof content[key] === "string");

/** What a client checks of each kind, by hand: with the SDK's schemas it would be most of the cost of a call. */
const SHAPES: Readonly<Record<string, (content: Content) => boolean>> = {
  text: (content) => areTexts(content, "text"),
  image: (content) => areTexts(content, "data", "mimeType"),
  audio: (content) => areTexts(content, "data", "mimeType"),
  resource_link: (content) => areTexts(content, "uri", "name"),
  resource: ({ resource }) =>
    isRecord(resource) &&
    typeof resource.uri === "string" &&
    (typeof resource.text === "string" || typeof resource.blob === "string"),
};

const MAX_KEYS = 64;
/** Of keys and texts, each value beside counted as some; what goes beyond is left out, key by key. */
const MAX_CHARS = 16_384;
const CHARS_A_VALUE = 8;
const MAX_DEPTH = 20;

/** About one connection, or said to Toolkeep. */
const OWN = ["progressToken", "__proto__"];
const OWN_PREFIXES = ["toolkeep/", "io.modelcontextprotocol/"];

/** What of a request's `_meta` its server should get; undefined where that is nothing. */
export function passedOn({ _meta }: Params): CallMeta | undefined {
  if (!isRecord(_meta)) return undefined;
  let passed: Record<string, unknown> | undefined;
  let keys = 0;
  let chars = 0;
  for (const key in _meta) {
    if (isOwn(key)) continue;
    if (++keys > MAX_KEYS) break;
    const extent = extentOf(_meta[key], MAX_DEPTH);
    const length = key.length + extent.chars + extent.size * CHARS_A_VALUE;
    if (extent.tooDeep || chars + length > MAX_CHARS) continue;
    chars += length;
    passed ??= {};
    passed[key] = _meta[key];
  }
  return passed;
}

function isOwn(key: string): boolean {
  return OWN.includes(key) || OWN_PREFIXES.some((prefix) => key.startsWith(prefix));
}
