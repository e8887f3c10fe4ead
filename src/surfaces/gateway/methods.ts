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
import { isRecord, measureJson } from "../../lib/json.ts";
import { toMcpTool } from "./mcp-tool.ts";
import {
  invalidParams,
  type Params,
  RPC,
  type RpcFault,
  type RpcRequest,
  readProgressToken,
} from "./messages.ts";
import type { ServingDeps } from "./serving.ts";

/** How long a client without a subscription may keep a list. */
const LIST_TTL_MS = 30_000;
/** How long a client may keep a resource's content: not at all, because the server may change it any time. */
const READ_TTL_MS = 0;

/** The context of one request: who made it, in which era, and what can be sent before the answer. */
export interface Exchange {
  readonly era: "legacy" | "modern";
  readonly caller: Caller;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Sends a notification ahead of the answer. */
  notify(method: string, params: Params): void;
  /** Answers a tool's inquiries while it runs. */
  readonly answering?: Answering;
  readonly rounds?: ToolCall["rounds"];
  readonly logLevel?: string;
}

/** A method's result as JSON text, or an error. */
export type MethodAnswer = string | RpcFault;
export type Method = (
  request: RpcRequest,
  exchange: Exchange,
  deps: ServingDeps,
) => MethodAnswer | Promise<MethodAnswer>;

/** The methods that both eras share. */
const METHODS: Readonly<Record<string, Method>> = {
  "tools/list": async (_request, { era, caller }, { lists, identity }) => {
    const known = lists.getList(caller);
    const { text, isWhole } = known instanceof Promise ? await known : known;
    if (era === "legacy") return `{"tools":${text}}`;
    // A list that is not complete must not be cached, so that tools found next show up at once.
    return `{"tools":${text},${identity.formatListTail(isWhole ? LIST_TTL_MS : 0)}}`;
  },
  "resources/list": createListMethod("resource", "resources"),
  "resources/templates/list": createListMethod("resource_template", "resourceTemplates"),
  "prompts/list": createListMethod("prompt", "prompts"),
  "tools/call": createCallMethod(parseToolCall, answerToolCall),
  "resources/read": createCallMethod(parseResourceRead, createOfferAnswer(READ_TTL_MS)),
  "prompts/get": createCallMethod(parsePromptGet, createOfferAnswer()),
  "completion/complete": createCallMethod(parseCompletion, createOfferAnswer()),
};

/** A method of both eras; undefined if it does not exist, or not for what this caller has. */
export function findMethod(
  name: string,
  caller: Caller,
  { offers }: Pick<Hub, "offers">,
): Method | undefined {
  if (!Object.hasOwn(METHODS, name)) return undefined;
  const group = name.slice(0, name.indexOf("/"));
  if (group === "tools") return METHODS[name];
  const capabilities = offers.abilitiesFor(caller);
  const isOffered =
    group === "resources"
      ? capabilities.resources
      : group === "prompts"
        ? capabilities.prompts
        : capabilities.completions;
  return isOffered ? METHODS[name] : undefined;
}

/** The call in a request, without its context. */
export type CallTarget = Pick<ToolCall, "kind" | "name" | "arguments">;

/** The target of a request for a tool, resource, prompt or completion; undefined for other methods. */
export function parseCallTarget({ method, params }: RpcRequest): CallTarget | RpcFault | undefined {
  return Object.hasOwn(TARGET_PARSERS, method) ? TARGET_PARSERS[method]?.(params) : undefined;
}

const TARGET_PARSERS: Readonly<Record<string, (params: Params) => CallTarget | RpcFault>> = {
  "tools/call": parseToolCall,
  "resources/read": parseResourceRead,
  "prompts/get": parsePromptGet,
  "completion/complete": parseCompletion,
};

/** Builds the answer to a request that `parseCallTarget` understood from the call's outcome. */
export function answerOutcome(
  request: RpcRequest,
  outcome: ToolOutcome,
  exchange: Pick<Exchange, "era">,
  deps: ServingDeps,
): MethodAnswer {
  const answer =
    request.method === "tools/call" ? answerToolCall : createOfferAnswer(getReadTtl(request.method));
  return answer(request, outcome, exchange, deps);
}

export function isFault(value: object | string): value is RpcFault {
  return typeof value === "object" && "code" in value;
}

function getReadTtl(method: string): number | undefined {
  return method === "resources/read" ? READ_TTL_MS : undefined;
}

type AnswerOutcome = (
  request: RpcRequest,
  outcome: ToolOutcome,
  exchange: Pick<Exchange, "era">,
  deps: ServingDeps,
) => MethodAnswer;

function createCallMethod(
  parseTarget: (params: Params) => CallTarget | RpcFault,
  answer: AnswerOutcome,
): Method {
  return async (request, exchange, deps) => {
    const target = parseTarget(request.params);
    if (isFault(target)) return target;
    const outcome = await deps.hub.callTool(buildCall(request, target, exchange));
    return answer(request, outcome, exchange, deps);
  };
}

type MutableCall = { -readonly [Field in keyof ToolCall]: ToolCall[Field] };

/** Builds the complete call. */
export function buildCall(request: RpcRequest, target: CallTarget, exchange: Exchange): MutableCall {
  const { caller, signal, answering, rounds, logLevel } = exchange;
  const call: MutableCall = {
    name: target.name,
    arguments: target.arguments,
    caller,
    via: "mcp",
    signal,
    onNotice: ({ method, params }) => exchange.notify(method, params),
  };
  if (target.kind !== undefined) call.kind = target.kind;
  if (answering) call.answering = answering;
  if (rounds) call.rounds = rounds;
  if (logLevel !== undefined) call.logLevel = logLevel;
  const meta = pickForwardedMeta(request.params);
  if (meta) call.meta = meta;
  if (typeof meta?.traceparent === "string") call.traceparent = meta.traceparent;
  const progressToken = readProgressToken(request.params);
  if (progressToken !== undefined)
    call.onProgress = (update) => exchange.notify("notifications/progress", { ...update, progressToken });
  return call;
}

function parseToolCall({ name, arguments: args }: Params): CallTarget | RpcFault {
  if (typeof name !== "string") return invalidParams("name must be the name of a tool");
  return { name, arguments: args ?? {} };
}

function parseResourceRead({ uri }: Params): CallTarget | RpcFault {
  return typeof uri === "string"
    ? { kind: "resource", name: uri, arguments: {} }
    : invalidParams("uri must be the URI of a resource");
}

function parsePromptGet({ name, arguments: args }: Params): CallTarget | RpcFault {
  return typeof name === "string"
    ? { kind: "prompt", name, arguments: args ?? {} }
    : invalidParams("name must be the name of a prompt");
}

function parseCompletion({ ref, argument, context }: Params): CallTarget | RpcFault {
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

function answerToolCall(
  _request: RpcRequest,
  outcome: ToolOutcome,
  { era }: Pick<Exchange, "era">,
  { hub, identity }: ServingDeps,
): MethodAnswer {
  if (outcome.fault) return outcome.fault;
  const result = toCallResult(
    outcome,
    outcome.tool === undefined ? undefined : hub.catalog.get(outcome.tool),
    era,
  );
  return JSON.stringify(era === "legacy" ? result : identity.completeResult(result));
}

function createOfferAnswer(ttlMs?: number): AnswerOutcome {
  return ({ params }, outcome, { era }, { identity }) => {
    const result = getOfferResult(outcome);
    if (!result) return toOfferFault(outcome, params, era);
    if (era === "legacy") return JSON.stringify(result);
    // A shared cache must not serve one agent's content to another.
    const caching = ttlMs === undefined ? {} : { ttlMs, ...result, cacheScope: "private" };
    return JSON.stringify(identity.completeResult({ ...result, ...caching }));
  };
}

function getOfferResult({ outcome, structured, error }: ToolOutcome): Params | undefined {
  if (outcome === "ok") return structured ?? {};
  // A completion that would need approval returns no values, so that typing is not disturbed.
  return error?.details?.code === "not_completed" ? { completion: { values: [] } } : undefined;
}

const NOT_FOUND: readonly unknown[] = ["resource_not_found", "prompt_not_found"];

export function toOfferFault(outcome: ToolOutcome, params: Params, era: Exchange["era"]): RpcFault {
  const uri = typeof params.uri === "string" ? { uri: params.uri } : {};
  const { fault, error } = outcome;
  if (fault) return { ...fault, code: mapCode(fault.code, era), data: addUri(fault.data, uri) };
  const isMissing = NOT_FOUND.includes(error?.details?.code);
  const code = isMissing && params.uri !== undefined ? RPC.resourceNotFound : RPC.invalidParams;
  const isCallersFault = isMissing || outcome.outcome === "invalid_arguments";
  return {
    code: isCallersFault ? mapCode(code, era) : RPC.internalError,
    message: error?.message ?? outcome.text,
    data: { outcome: outcome.outcome, ...uri },
  };
}

/** Since 2026-07-28 a missing resource is an invalid parameter. */
function mapCode(code: number, era: Exchange["era"]): number {
  return era === "modern" && code === RPC.resourceNotFound ? RPC.invalidParams : code;
}

function addUri(data: unknown, uri: Params): unknown {
  if (data === undefined) return Object.keys(uri).length > 0 ? uri : undefined;
  return isRecord(data) ? { ...uri, ...data } : data;
}

/** Waits for a server's first list of offers, which follows its tools, rather than reporting an empty list. */
function createListMethod(kind: OfferKind, key: string): Method {
  const list: Method = (_request, { era, caller }, { hub, offerTexts, identity }) => {
    const text = offerTexts.get(hub.offers.visible(caller, kind));
    return era === "legacy"
      ? `{"${key}":${text}}`
      : `{"${key}":${text},${identity.formatListTail(LIST_TTL_MS)}}`;
  };
  return (request, exchange, deps) => {
    const pending = deps.hub.offers.pending(exchange.caller);
    return pending ? pending.then(() => list(request, exchange, deps)) : list(request, exchange, deps);
  };
}

/** The client capabilities that matter here, declared per modern request or once per session. */
export function readCapabilities(value: unknown): Params {
  const declared = isRecord(value) ? value : {};
  const { elicitation, sampling, roots } = declared;
  return {
    ...(isRecord(elicitation) && { elicitation }),
    ...(isRecord(sampling) && { sampling }),
    ...(isRecord(roots) && { roots }),
  };
}

/**
 * Converts an outcome to MCP. Everything but `ok` becomes a result with `isError`, never a protocol error: only a result
 * reaches the model, which can then act on it.
 */
export function toCallResult(
  outcome: ToolOutcome,
  tool: ListedTool | undefined,
  era: "legacy" | "modern",
): CallToolResult {
  const structured = outcome.structured ?? (era === "modern" ? outcome.structuredValue : undefined);
  const isIncomplete = structured === undefined && tool !== undefined && promisesStructure(tool);
  const content = outcome.content.length > 0 ? outcome.content : [text(outcome.text)];
  return {
    content: content.map(toContentBlock),
    ...(structured !== undefined && { structuredContent: structured }),
    ...((outcome.outcome !== "ok" || isIncomplete) && { isError: true }),
    _meta: { ...outcome.meta, "toolkeep/outcome": outcome.outcome, "toolkeep/call_id": outcome.callId },
  };
}

/**
 * Strict clients reject a success without the structured content that the listed output schema promises, for example
 * because it was too large to send; from an error they show the model what there is. An unlisted schema promises nothing.
 */
function promisesStructure(tool: ListedTool): boolean {
  return tool.outputSchema !== undefined && toMcpTool(tool).outputSchema !== undefined;
}

/** Shows content blocks of unknown kinds as text, because clients would reject the whole result. */
function toContentBlock(content: Content): ContentBlock {
  const isKnown = Object.hasOwn(CONTENT_CHECKS, content.type) && CONTENT_CHECKS[content.type]?.(content);
  return isKnown ? (content as ContentBlock) : { type: "text", text: JSON.stringify(content) };
}

const areTexts = (content: Content, ...keys: string[]) =>
  keys.every((key) => typeof content[key] === "string");

/** The properties that clients check for each kind. Written by hand, because the SDK's schemas would be most of a call's cost. */
const CONTENT_CHECKS: Readonly<Record<string, (content: Content) => boolean>> = {
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
/** The limit for keys and texts together, where every value counts some characters; keys beyond it are dropped. */
const MAX_CHARS = 16_384;
const CHARS_PER_VALUE = 8;
const MAX_DEPTH = 20;

/** Keys that concern one connection or are meant for Toolkeep. */
const CONSUMED_KEYS = ["progressToken", "__proto__"];
const CONSUMED_PREFIXES = ["toolkeep/", "io.modelcontextprotocol/"];

/** The part of a request's `_meta` that is forwarded to the tool's server; undefined if there is none. */
export function pickForwardedMeta({ _meta }: Params): CallMeta | undefined {
  if (!isRecord(_meta)) return undefined;
  let forwarded: Record<string, unknown> | undefined;
  let keys = 0;
  let chars = 0;
  for (const key in _meta) {
    if (isConsumedHere(key)) continue;
    if (++keys > MAX_KEYS) break;
    const extent = measureJson(_meta[key], MAX_DEPTH);
    const length = key.length + extent.chars + extent.size * CHARS_PER_VALUE;
    if (extent.tooDeep || chars + length > MAX_CHARS) continue;
    chars += length;
    forwarded ??= {};
    forwarded[key] = _meta[key];
  }
  return forwarded;
}

function isConsumedHere(key: string): boolean {
  return CONSUMED_KEYS.includes(key) || CONSUMED_PREFIXES.some((prefix) => key.startsWith(prefix));
}
