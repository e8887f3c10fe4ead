import type { Client } from "@modelcontextprotocol/client";
import { messageOf } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { isUnknownMethod } from "../connection/failure.ts";
import { type BoundedList, type ListKind, listAll } from "./bounded-list.ts";
import { KEY_FIELDS, type Offer, type OfferKind } from "./offer-key.ts";

export interface OfferList {
  readonly offers: readonly Offer[];
  /** The kinds whose list could not be fetched: their current state is unknown. */
  readonly failedKinds: readonly OfferKind[];
  /** The error of the first of them. */
  readonly failure?: unknown;
  /** The offers that were left out or failed, with reasons for people. */
  readonly warnings: readonly string[];
  /** When the server wants to be asked again; absent if it does not say. */
  readonly ttlMs?: number;
}

/** Nobody waits for these lists, but a server must not keep a request open for ever. */
const LIST_TIMEOUT_MS = 30_000;

const BOUNDS = { maxEntries: 5000, maxEntryBytes: 64 * 1024, maxBytes: 4 * 1024 * 1024 };
const KINDS: Readonly<Record<OfferKind, ListKind>> = {
  resource: {
    method: "resources/list",
    noun: "resource",
    key: KEY_FIELDS.resource,
    maxKeyLength: 4096,
    ...BOUNDS,
  },
  resource_template: {
    method: "resources/templates/list",
    noun: "resource template",
    key: KEY_FIELDS.resource_template,
    maxKeyLength: 4096,
    ...BOUNDS,
  },
  prompt: {
    method: "prompts/list",
    noun: "prompt",
    key: KEY_FIELDS.prompt,
    maxKeyLength: 256,
    isName: true,
    listNames: ({ arguments: args }) =>
      Array.isArray(args) ? args.map((argument) => isRecord(argument) && argument.name) : [],
    ...BOUNDS,
  },
};

/**
 * Fetches all offers of the kinds that the server declares and `kinds` names, and redacts secrets. Never rejects: a list
 * that fails affects only its own kind.
 */
export async function listOffers(
  client: Client,
  { signal, kinds }: { readonly signal: AbortSignal; readonly kinds?: readonly OfferKind[] },
  redact: (text: string) => string,
): Promise<OfferList> {
  const declared = listDeclaredKinds(client).filter((kind) => kinds?.includes(kind) ?? true);
  const lists = await Promise.all(
    declared.map(async (kind) => ({ kind, list: await fetchKind(client, kind, signal, redact) })),
  );
  const ttls = lists.flatMap(({ list }) =>
    list.ok && list.value.ttlMs !== undefined ? [list.value.ttlMs] : [],
  );
  const failures = lists.flatMap(({ kind, list }) => (list.ok ? [] : [{ kind, failure: list.error.cause }]));
  return {
    offers: lists.flatMap(({ kind, list }) =>
      list.ok ? list.value.entries.map((definition) => ({ kind, definition })) : [],
    ),
    failedKinds: failures.map(({ kind }) => kind),
    warnings: lists.flatMap(({ list }) => (list.ok ? list.value.warnings : [list.error.message])),
    ...(failures.length === 0 ? {} : { failure: failures[0]?.failure }),
    ...(ttls.length === 0 ? {} : { ttlMs: Math.min(...ttls) }),
  };
}

function listDeclaredKinds(client: Client): OfferKind[] {
  const { resources, prompts } = client.getServerCapabilities() ?? {};
  return [
    ...(resources === undefined ? [] : (["resource", "resource_template"] as const)),
    ...(prompts === undefined ? [] : (["prompt"] as const)),
  ];
}

async function fetchKind(
  client: Client,
  kind: OfferKind,
  signal: AbortSignal,
  redact: (text: string) => string,
): Promise<Result<BoundedList<string>, { readonly message: string; readonly cause: unknown }>> {
  try {
    return ok(await listAll(client, KINDS[kind], { signal, timeout: LIST_TIMEOUT_MS }, redact));
  } catch (error) {
    // Many servers with resources have no templates and, against the specification, lack the method.
    if (kind === "resource_template" && isUnknownMethod(error))
      return ok({ entries: [], warnings: [], leftOut: [] });
    const message = redact(`its ${KINDS[kind].noun}s could not be listed: ${messageOf(error)}`);
    return err({ message, cause: error });
  }
}
