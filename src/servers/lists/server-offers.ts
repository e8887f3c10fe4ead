import { createHash } from "node:crypto";
import type {
  CompletionAsked,
  OfferAbilities,
  OfferDefinition,
  Offered,
  OfferOrigin,
} from "../../contract/offer.ts";
import type { ToolResult } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";
import { sanitise } from "../../lib/tool-name.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { ServerOfferRecord } from "../../machine/db/store.ts";
import type { ServerRequest } from "../connection/call.ts";
import type { Server } from "../lifecycle/server.ts";
import type { Era } from "../transport/era.ts";
import { cleanOffer } from "../trust/definitions/clean-offer.ts";
import { keyOfOffer } from "./offer-key.ts";
import type { WatchedResources } from "./watched-resources.ts";

export interface ServerOffersDeps {
  /** What the server offered last. */
  readonly offersOf: (server: Server) => readonly ServerOfferRecord[];
  readonly watchedOf: (server: Server) => WatchedResources;
  readonly settings: Settings;
  /** What was cleaned already, so that what did not change stays the same object. */
  readonly cleaned: WeakMap<OfferDefinition, OfferDefinition>;
}

/** What the servers offer beside tools, as they are defined now; prompts under names of their own. */
export function originsOf(servers: readonly Server[], deps: ServerOffersDeps): readonly OfferOrigin[] {
  const published = servers.flatMap((server) => deps.offersOf(server).map((offer) => ({ server, offer })));
  const prompts = published.filter(({ offer }) => offer.kind === "prompt");
  const names = namePrompts(
    prompts.map(({ server, offer }) => {
      const { name, prefix } = server.definition.record;
      return { serverName: name, prefix, name: keyOfOffer(offer) };
    }),
  );
  const nameOf = new Map(prompts.map(({ offer }, index) => [offer, names[index]!]));
  return servers.map((server) => originOf(server, deps, nameOf));
}

function originOf(
  server: Server,
  { offersOf, watchedOf, settings, cleaned }: ServerOffersDeps,
  nameOf: ReadonlyMap<ServerOfferRecord, string>,
): OfferOrigin {
  const { record, config } = server.definition;
  const offers = offersOf(server).map((offer): Offered => {
    const key = keyOfOffer(offer);
    const definition = cleaned.get(offer.definition) ?? cleanOffer(offer.kind, offer.definition);
    cleaned.set(offer.definition, definition);
    return { kind: offer.kind, key, name: nameOf.get(offer) ?? key, definition };
  });
  const abilities = abilitiesOf(record.era as Era | null, offers);
  return {
    origin: `mcp:${record.name}`,
    name: record.name,
    untrusted: !config.trusted,
    timeoutMs: config.timeoutMs ?? settings.mcp.toolTimeoutMs,
    progressExtendsTimeout: config.progressExtendsTimeout,
    abilities,
    offers,
    // What it offered last is shown until the new list is there.
    pending: () => (offers.length === 0 ? server.pendingOffers() : undefined),
    status: () => server.status(),
    // Reading changes nothing, so it may be done twice.
    readResource: (uri, context) => server.request(readResource(uri), context, true),
    getPrompt: (name, args, context) => server.request(getPrompt(name, args), context, true),
    complete: async (asked, context) => {
      if (!abilities.completions) return NOTHING_COMPLETED;
      return unlessUnknown(await server.request(complete(asked), context, true));
    },
    watch: (uri, onUpdate, signal) => watchedOf(server).watch(uri, onUpdate, signal),
  };
}

/** What the server declared when it was connected last; of one that was last seen by an older Toolkeep, a guess. */
function abilitiesOf(era: Era | null, offers: readonly Offered[]): OfferAbilities {
  if (era?.declares) return era.declares;
  const has = (kind: Offered["kind"]) => offers.some((offer) => offer.kind === kind);
  const resources = has("resource") || has("resource_template");
  const unknown = { subscribe: false, logging: false, tasks: false };
  return { resources, prompts: has("prompt"), completions: true, ...unknown };
}

const METHOD_NOT_FOUND = -32601;

function unlessUnknown(result: ToolResult): ToolResult {
  return result.kind === "failed" && result.fault?.code === METHOD_NOT_FOUND ? NOTHING_COMPLETED : result;
}

/* Requests that use what a server offers beside tools. Their output is the whole answer, in `structured`. */

type JsonObject = Readonly<Record<string, unknown>>;

/** As the protocol says. */
const MAX_COMPLETIONS = 100;

export function readResource(uri: string): ServerRequest {
  return {
    method: "resources/read",
    params: { uri },
    toResult: (answer) => whole(answer, Array.isArray(answer.contents), "contents"),
  };
}

export function getPrompt(name: string, args: JsonObject): ServerRequest {
  return {
    method: "prompts/get",
    params: { name, arguments: args },
    toResult: (answer) => whole(answer, Array.isArray(answer.messages), "messages"),
  };
}

export function complete(asked: CompletionAsked): ServerRequest {
  return {
    method: "completion/complete",
    params: { ...asked },
    toResult: (answer) => {
      const { completion } = answer;
      if (!isRecord(completion) || !Array.isArray(completion.values))
        return whole(answer, false, "completion");
      const values = completion.values.filter((value) => typeof value === "string").slice(0, MAX_COMPLETIONS);
      return whole({ ...answer, completion: { ...completion, values } }, true, "completion");
    },
  };
}

/** What is said where a server completes nothing. */
export const NOTHING_COMPLETED: ToolResult = {
  kind: "output",
  content: [],
  structured: { completion: { values: [], total: 0, hasMore: false } },
};

function whole(answer: JsonObject, fits: boolean, field: string): ToolResult {
  if (!fits) return { kind: "failed", message: `the server sent an answer without ${field}` };
  // How an answer is to be taken is for each connection to say anew.
  const { resultType: _, ...structured } = answer;
  return { kind: "output", content: [], structured };
}

export interface NamelessPrompt {
  readonly serverName: string;
  readonly prefix: string;
  /** As the server has it. */
  readonly name: string;
}

const MAX_PROMPT_NAME = 64;
const HASH_LENGTH = 6;

/**
 * A name for every prompt, in the order given, no two the same: `<prefix>_<name>`. Where several prompts come to the
 * same, the one that is really called so keeps it and the others get a short hash, so that the order in which servers
 * are added changes nothing.
 */
export function namePrompts(prompts: readonly NamelessPrompt[]): string[] {
  const takers = new Map<string, number>();
  const plainNames = prompts.map(plainPromptName);
  for (const name of plainNames) takers.set(name, (takers.get(name) ?? 0) + 1);
  const used = new Set<string>();
  return prompts.map((prompt, index) => {
    const plain = plainNames[index]!;
    const isFree = !used.has(plain) && (takers.get(plain) === 1 || isExact(prompt, plain));
    let name = isFree ? plain : hashedPromptName(prompt, 0);
    for (let attempt = 1; used.has(name); attempt++) name = hashedPromptName(prompt, attempt);
    used.add(name);
    return name;
  });
}

function isExact({ prefix, name }: NamelessPrompt, plain: string): boolean {
  return `${prefix}_${name}` === plain;
}

function plainPromptName(prompt: NamelessPrompt): string {
  const whole = wholePromptName(prompt);
  return whole.length <= MAX_PROMPT_NAME ? whole : hashedPromptName(prompt, 0);
}

function wholePromptName({ prefix, name }: NamelessPrompt): string {
  return `${prefix}_${sanitise(name)}`;
}

function hashedPromptName(prompt: NamelessPrompt, attempt: number): string {
  const seed = `${prompt.serverName}\0${prompt.name}\0${attempt}`;
  const hash = createHash("sha256").update(seed).digest("hex").slice(0, HASH_LENGTH);
  return `${wholePromptName(prompt).slice(0, MAX_PROMPT_NAME - HASH_LENGTH - 1)}_${hash}`;
}
