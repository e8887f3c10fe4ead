import type { OfferAbilities, OfferDefinition, Offered, OfferOrigin } from "../../contract/offer.ts";
import type { ToolResult } from "../../contract/tool.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { ServerOfferRecord } from "../../machine/db/store.ts";
import type { Server } from "../lifecycle/server.ts";
import { namePrompts } from "../prompt-names.ts";
import type { Era } from "../transport/era.ts";
import { cleanOffer } from "../trust/definitions/clean-offer.ts";
import { complete, getPrompt, NOTHING_COMPLETED, readResource } from "../use-offers.ts";
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
    pending: () => (offers.length === 0 ? server.offersPending() : undefined),
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
