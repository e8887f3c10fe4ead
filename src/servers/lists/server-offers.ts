import { createHash } from "node:crypto";
import type {
  CompletionRequest,
  OfferAbilities,
  OfferDefinition,
  Offered,
  OfferOrigin,
} from "../../contract/offer.ts";
import type { ToolResult } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";
import { sanitise } from "../../lib/tool-name.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { ServerRequest } from "../connection/call.ts";
import type { Server } from "../lifecycle/server.ts";
import type { ServerOfferRecord } from "../records.ts";
import type { Era } from "../transport/era.ts";
import { cleanOffer } from "../trust/definitions/clean-offer.ts";
import { getOfferKey } from "./offer-key.ts";
import type { WatchedResources } from "./watched-resources.ts";

export interface ServerOffersDeps {
  /** The server's offers as last listed. */
  readonly getOffers: (server: Server) => readonly ServerOfferRecord[];
  readonly getWatched: (server: Server) => WatchedResources;
  readonly settings: Settings;
  /** Cleaned definitions, so that an unchanged offer stays the same object. */
  readonly cleanCache: WeakMap<OfferDefinition, OfferDefinition>;
}

/** Builds the origins of all servers' offers. Prompts get unique names. */
export function buildOrigins(servers: readonly Server[], deps: ServerOffersDeps): readonly OfferOrigin[] {
  const published = servers.flatMap((server) => deps.getOffers(server).map((offer) => ({ server, offer })));
  const prompts = published.filter(({ offer }) => offer.kind === "prompt");
  const names = namePrompts(
    prompts.map(({ server, offer }) => {
      const { name, prefix } = server.definition.record;
      return { serverName: name, prefix, name: getOfferKey(offer) };
    }),
  );
  const promptNames = new Map(prompts.map(({ offer }, index) => [offer, names[index]!]));
  return servers.map((server) => buildOrigin(server, deps, promptNames));
}

function buildOrigin(
  server: Server,
  { getOffers, getWatched, settings, cleanCache }: ServerOffersDeps,
  promptNames: ReadonlyMap<ServerOfferRecord, string>,
): OfferOrigin {
  const { record, config } = server.definition;
  const offers = getOffers(server).map((offer): Offered => {
    const key = getOfferKey(offer);
    const definition = cleanCache.get(offer.definition) ?? cleanOffer(offer.kind, offer.definition);
    cleanCache.set(offer.definition, definition);
    return { kind: offer.kind, key, name: promptNames.get(offer) ?? key, definition };
  });
  const abilities = readAbilities(record.era as Era | null, offers);
  return {
    origin: `mcp:${record.name}`,
    name: record.name,
    untrusted: !config.trusted,
    timeoutMs: config.timeoutMs ?? settings.mcp.toolTimeoutMs,
    progressExtendsTimeout: config.progressExtendsTimeout,
    abilities,
    offers,
    // Known offers are shown until the new list arrives.
    pending: () => (offers.length === 0 ? server.pendingOffers() : undefined),
    status: () => server.status(),
    // Reading changes nothing, so it may be repeated.
    readResource: (uri, context) => server.request(buildReadRequest(uri), context, true),
    getPrompt: (name, args, context) => server.request(buildPromptRequest(name, args), context, true),
    complete: async (request, context) => {
      if (!abilities.completions) return NO_COMPLETIONS;
      return ignoreUnknownMethod(await server.request(buildCompletionRequest(request), context, true));
    },
    watch: (uri, onUpdate, signal) => getWatched(server).watch(uri, onUpdate, signal),
  };
}

/** Reads what the server declared at the last connection; guesses if an older Toolkeep stored the record. */
function readAbilities(era: Era | null, offers: readonly Offered[]): OfferAbilities {
  if (era?.declares) return era.declares;
  const has = (kind: Offered["kind"]) => offers.some((offer) => offer.kind === kind);
  const resources = has("resource") || has("resource_template");
  const unknown = { subscribe: false, logging: false, tasks: false };
  return { resources, prompts: has("prompt"), completions: true, ...unknown };
}

const METHOD_NOT_FOUND = -32601;

function ignoreUnknownMethod(result: ToolResult): ToolResult {
  return result.kind === "failed" && result.fault?.code === METHOD_NOT_FOUND ? NO_COMPLETIONS : result;
}

/* Requests for offers. Their output is the whole answer, in `structured`. */

type JsonObject = Readonly<Record<string, unknown>>;

/** MCP's limit. */
const MAX_COMPLETIONS = 100;

export function buildReadRequest(uri: string): ServerRequest {
  return {
    method: "resources/read",
    params: { uri },
    toResult: (answer) => toWholeAnswer(answer, Array.isArray(answer.contents), "contents"),
  };
}

export function buildPromptRequest(name: string, args: JsonObject): ServerRequest {
  return {
    method: "prompts/get",
    params: { name, arguments: args },
    toResult: (answer) => toWholeAnswer(answer, Array.isArray(answer.messages), "messages"),
  };
}

export function buildCompletionRequest(request: CompletionRequest): ServerRequest {
  return {
    method: "completion/complete",
    params: { ...request },
    toResult: (answer) => {
      const { completion } = answer;
      if (!isRecord(completion) || !Array.isArray(completion.values))
        return toWholeAnswer(answer, false, "completion");
      const values = completion.values.filter((value) => typeof value === "string").slice(0, MAX_COMPLETIONS);
      return toWholeAnswer({ ...answer, completion: { ...completion, values } }, true, "completion");
    },
  };
}

/** The answer of a server that completes nothing. */
export const NO_COMPLETIONS: ToolResult = {
  kind: "output",
  content: [],
  structured: { completion: { values: [], total: 0, hasMore: false } },
};

function toWholeAnswer(answer: JsonObject, isValid: boolean, field: string): ToolResult {
  if (!isValid) return { kind: "failed", message: `the server sent an answer without ${field}` };
  // Each connection sets its own `resultType`.
  const { resultType: _, ...structured } = answer;
  return { kind: "output", content: [], structured };
}

export interface UnnamedPrompt {
  readonly serverName: string;
  readonly prefix: string;
  /** The prompt's name at its server. */
  readonly name: string;
}

const MAX_PROMPT_NAME = 64;
const HASH_LENGTH = 6;

/**
 * Gives every prompt a unique name, `<prefix>_<name>`, in the order given. If several prompts lead to the same name, the
 * one whose exact name it is keeps it and the others get a short hash, so that the order in which servers are added does
 * not matter.
 */
export function namePrompts(prompts: readonly UnnamedPrompt[]): string[] {
  const claims = new Map<string, number>();
  const plainNames = prompts.map(choosePlainName);
  for (const name of plainNames) claims.set(name, (claims.get(name) ?? 0) + 1);
  const used = new Set<string>();
  return prompts.map((prompt, index) => {
    const plain = plainNames[index]!;
    const isFree = !used.has(plain) && (claims.get(plain) === 1 || isExact(prompt, plain));
    let name = isFree ? plain : hashPromptName(prompt, 0);
    for (let attempt = 1; used.has(name); attempt++) name = hashPromptName(prompt, attempt);
    used.add(name);
    return name;
  });
}

function isExact({ prefix, name }: UnnamedPrompt, plain: string): boolean {
  return `${prefix}_${name}` === plain;
}

function choosePlainName(prompt: UnnamedPrompt): string {
  const whole = joinPromptName(prompt);
  return whole.length <= MAX_PROMPT_NAME ? whole : hashPromptName(prompt, 0);
}

function joinPromptName({ prefix, name }: UnnamedPrompt): string {
  return `${prefix}_${sanitise(name)}`;
}

function hashPromptName(prompt: UnnamedPrompt, attempt: number): string {
  const seed = `${prompt.serverName}\0${prompt.name}\0${attempt}`;
  const hash = createHash("sha256").update(seed).digest("hex").slice(0, HASH_LENGTH);
  return `${joinPromptName(prompt).slice(0, MAX_PROMPT_NAME - HASH_LENGTH - 1)}_${hash}`;
}
