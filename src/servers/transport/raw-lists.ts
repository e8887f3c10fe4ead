import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/client";
import { z } from "zod";
import { BoundedMap } from "../../lib/bounded-map.ts";
import { isRecord } from "../../lib/json.ts";

/** The lists a server may publish: the method that asks for one, and the field of the answer that holds it. */
export const LISTS = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
} as const;

export type ListMethod = keyof typeof LISTS;

/** No server can send a symbol, so none can pretend that its answer was set aside. */
const ASIDE = Symbol("set aside");
/** Answers still awaited; a server that leaves more than this many open gets the strict check for the oldest. */
const MAX_AWAITED = 32;

/**
 * Keeps the SDK from checking lists as a whole: by the rules of 2026-07-28 one bad entry would cost all the others,
 * and a long list would hold everybody up. What a list holds is checked entry by entry where it is read. To be called
 * once a client is connected over this transport.
 */
export function setListsAside(transport: Transport): void {
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
    receive?.(withListAside(message, field), extra);
  };
}

/** A page of any list, however its entries look; finds what `setListsAside` put away. */
export function listPage(method: ListMethod) {
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

function withListAside<M extends JSONRPCMessage>(message: M, field: string): M {
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
