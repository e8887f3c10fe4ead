import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/client";
import { z } from "zod";
import { BoundedMap } from "../../lib/bounded-map.ts";
import { isRecord } from "../../lib/json.ts";

/** The lists that a server may publish: the method that requests one, and the field of its answer. */
export const LISTS = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
} as const;

export type ListMethod = keyof typeof LISTS;

/** A symbol, which no server can send: none can pretend that its answer was set aside. */
const ASIDE = Symbol("set aside");
/** How many list requests are tracked; beyond it the oldest answers get the SDK's strict check. */
const MAX_AWAITED = 32;

/**
 * Keeps the SDK from validating lists as a whole: by the rules of 2026-07-28 one bad entry would discard all others, and
 * validating a long list would block everything else. Entries are checked one by one where they are read. Call it once a
 * client is connected over this transport.
 */
export function bypassListValidation(transport: Transport): void {
  const awaited = new BoundedMap<RequestId, string>(MAX_AWAITED);
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (isListRequest(message)) awaited.set(message.id, LISTS[message.method]);
    return send(message, options);
  };

  const receive = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const field = "id" in message && message.id !== undefined ? awaited.get(message.id) : undefined;
    if (field === undefined || "method" in message) return receive?.(message, extra);
    awaited.delete((message as { id: RequestId }).id);
    receive?.(moveListAside(message, field), extra);
  };
}

/** Parses a page of any list, whatever its entries look like; restores what `bypassListValidation` set aside. */
export function createPageSchema(method: ListMethod) {
  const page = z.looseObject({ [LISTS[method]]: z.array(z.unknown()), nextCursor: z.string().nullish() });
  return z.preprocess(
    (answer) => (isRecord(answer) && ASIDE in answer ? (answer as { [ASIDE]?: unknown })[ASIDE] : answer),
    page,
  );
}

function isListRequest(
  message: JSONRPCMessage,
): message is JSONRPCMessage & { id: RequestId; method: ListMethod } {
  return "method" in message && "id" in message && Object.hasOwn(LISTS, message.method);
}

function moveListAside<M extends JSONRPCMessage>(message: M, field: string): M {
  const result = "result" in message ? (message.result as unknown) : undefined;
  if (!isRecord(result) || (result.resultType ?? "complete") !== "complete") return message;
  const { resultType } = result;
  const shell = {
    ...(resultType === undefined ? {} : { resultType }),
    ttlMs: 0,
    cacheScope: "private",
    [field]: [],
    [ASIDE]: result,
  };
  return { ...message, result: shell };
}
