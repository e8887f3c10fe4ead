import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
} from "@modelcontextprotocol/client";
import type { Inquiry, ToolResult } from "../contract/tool.ts";
import type { Stop } from "../lib/flow/stop.ts";
import { isRecord } from "../lib/json.ts";
import { askedIn, canAnswerAll } from "./asked.ts";
import { answerWith } from "./connection/inquiries.ts";
import type { ConnectionCall } from "./connection-call.ts";
import type { DirectRequests } from "./direct-requests.ts";
import { taskIn, withoutTasks, withTasks } from "./tasks.ts";
import type { Era } from "./transport/era.ts";
import { paramHeaders } from "./transport/param-headers.ts";

type JsonObject = Readonly<Record<string, unknown>>;

export interface RequestRoundsDeps {
  readonly requests: DirectRequests;
  readonly era: Era;
  /** As Toolkeep introduces itself. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Each request has a stream of its own, as over HTTP. */
  readonly hasOwnStreams: boolean;
  /** The schema that the server publishes for a tool now; undefined where it has no such tool. */
  readonly fetchSchema: (tool: unknown, stop: Stop) => Promise<unknown>;
}

/** How often a server of 2026-07-28 may ask back before one call is done. */
const MAX_ROUNDS = 10;
/** SEP-2243: the headers do not fit the body of the call. */
const HEADER_MISMATCH = -32020;
const NOBODY = "the server asked back, but the caller of this tool cannot be asked";

/** Requests over one connection, in the words of its era, until they are answered. */
export class RequestRounds {
  readonly #deps: RequestRoundsDeps;
  readonly #isModern: boolean;
  readonly #introduction: JsonObject;

  constructor(deps: RequestRoundsDeps) {
    this.#deps = deps;
    this.#isModern = deps.era.era === "modern";
    this.#introduction = {
      [PROTOCOL_VERSION_META_KEY]: deps.era.version,
      [CLIENT_INFO_META_KEY]: deps.clientInfo,
    };
  }

  /**
   * One request with all its rounds, or one round of it where the caller answers by calling again. Rejects where the
   * server refused it or could not be reached; `onRound` is told when the server has asked, and so has the request.
   */
  send(call: ConnectionCall, onRound: () => void): Promise<ToolResult> {
    return this.#isModern ? this.#sendModern(call, onRound) : this.#sendLegacy(call);
  }

  #sendLegacy({ method, params, stop, onProgress, resultOf, meta }: ConnectionCall): Promise<ToolResult> {
    const request = { method, params, stop, onProgress };
    return this.#deps.requests.send(meta ? { ...request, meta } : request, resultOf);
  }

  async #sendModern(call: ConnectionCall, onRound: () => void): Promise<ToolResult> {
    let said: JsonObject = repeated(call.rounds?.answers, call.rounds?.state);
    for (let round = 0; ; round++) {
      const answer = await this.#withHeaders(call, (headers) => this.#request(call, said, headers));
      const asked = askedIn(answer);
      if (!asked) return completed(answer, call);
      onRound();
      if (!asked.ok) return failed(`the server asked back, but ${asked.error}`);
      if (call.rounds) {
        return canAnswerAll(asked.value, call.rounds.capabilities)
          ? { kind: "asks", asked: asked.value }
          : failed(NOBODY);
      }
      if (round === MAX_ROUNDS) return failed(`the server asked back more than ${MAX_ROUNDS} times`);
      said = repeated(await answers(asked.value.inquiries, call), asked.value.state);
    }
  }

  #request(call: ConnectionCall, said: JsonObject, headers?: Record<string, string>): Promise<JsonObject> {
    const { method, stop, onProgress } = call;
    const request = {
      method,
      params: { ...call.params, ...said },
      meta: this.#metaOf(call),
      stop,
      onProgress,
      ownStream: this.#deps.hasOwnStreams,
      ...(headers ? { headers } : {}),
    };
    return this.#deps.requests.send(request, (answer) => answer);
  }

  /** A server of 2026-07-28 is told with each call what this caller can be asked and wants to hear. */
  #metaOf({ answering, rounds, logLevel, tasks = false, meta: given }: ConnectionCall): JsonObject {
    const capabilities = rounds?.capabilities ?? answering?.capabilities ?? {};
    const meta: Record<string, unknown> = {
      ...given,
      ...this.#introduction,
      [CLIENT_CAPABILITIES_META_KEY]: tasks ? withTasks(capabilities) : withoutTasks(capabilities),
    };
    if (logLevel !== undefined) meta[LOG_LEVEL_META_KEY] = logLevel;
    return meta;
  }

  /**
   * Some parameters also travel as headers, where the schema says so. A server that refuses them has not looked at
   * the call yet: its schema must have changed, so it is asked for that and gets the call once more.
   */
  async #withHeaders<T>(
    call: ConnectionCall,
    send: (headers?: Record<string, string>) => Promise<T>,
  ): Promise<T> {
    if (!this.#deps.hasOwnStreams || call.method !== "tools/call") return await send();
    const args = isRecord(call.params.arguments) ? call.params.arguments : {};
    try {
      return await send(paramHeaders(call.inputSchema, args));
    } catch (error) {
      if (!(error instanceof ProtocolError && error.code === HEADER_MISMATCH)) throw error;
      const inputSchema = await this.#deps.fetchSchema(call.params.name, call.stop);
      return await send(paramHeaders(inputSchema ?? call.inputSchema, args));
    }
  }
}

function completed(answer: JsonObject, { resultOf, tasks }: ConnectionCall): ToolResult {
  const { resultType = "complete" } = answer;
  const task = resultType === "task" && tasks ? taskIn(answer) : undefined;
  if (task) return { kind: "task", task };
  return resultType === "complete"
    ? resultOf(answer)
    : failed(`the server sent a kind of answer that is not known: ${String(resultType).slice(0, 100)}`);
}

function failed(message: string): ToolResult {
  return { kind: "failed", message };
}

/** What a repeated request says beside what the first one said. */
function repeated(answers: JsonObject | undefined, state: string | undefined): JsonObject {
  return {
    ...(answers === undefined ? {} : { inputResponses: answers }),
    ...(state === undefined ? {} : { requestState: state }),
  };
}

async function answers(inquiries: Readonly<Record<string, Inquiry>>, call: ConnectionCall) {
  const answered: [string, unknown][] = [];
  for (const [name, inquiry] of Object.entries(inquiries)) {
    answered.push([name, await answerWith(call, inquiry, call.signal)]);
  }
  return Object.fromEntries(answered);
}
