import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import type { BatchMember } from "../../call/executor/batch.ts";
import type { Caller } from "../../contract/caller.ts";
import { messageOf as textOf } from "../../contract/errors.ts";
import type { OutcomeName, ToolOutcome } from "../../contract/tool.ts";
import type { Hub } from "../../hub.ts";
import { readJson } from "../../lib/http/json-body.ts";
import type { Log } from "../../lib/log.ts";

import { Admission, type AgentPrincipal } from "./http/admission.ts";
import { bodyRefusal, MESSAGE_SHAPE } from "./http/body-limits.ts";
import { writeAnswer } from "./http/reply.ts";
import {
  errorText,
  idOf,
  messageOf,
  metaOf,
  type Params,
  type RequestId,
  RPC,
  type RpcFault,
  resultText,
  rpcError,
} from "./messages.ts";
import { passedOn } from "./methods.ts";
import type { ToolLists } from "./tool-lists.ts";

const CONVERSATION_KEY = "toolkeep/conversation";
const MAX_CONVERSATION_LENGTH = 128;

export interface RpcDeps {
  readonly lists: Pick<ToolLists, "for">;
  readonly log: Log;
}

/** What one message comes to. `status` counts where it came alone. */
interface Answered {
  readonly text: string;
  readonly status: number;
}

/**
 * `POST /rpc`: JSON-RPC 2.0 without MCP around it. `tools/list` and `tools/call`, whose result is what the tool gave
 * and not a list of content. The same tokens, the same lists and the same way of a call as at `/mcp`; a call that did
 * not end well is an error, whose `data.outcome` says how it ended. Calls of a batch that may run beside others do, the rest
 * one after another.
 */
export function mountRpc(app: FastifyInstance, hub: Hub, deps: RpcDeps): void {
  const admission = new Admission(hub.identity, () => hub.settings);

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const who = await admission.admit({
      authorization: req.headers.authorization,
      host: req.headers.host,
      address: req.socket.remoteAddress,
      connection: req.socket,
      path: "/rpc",
    });
    if (!who.ok) return writeAnswer(res, who.error);
    const { read: body, release } = await readJson(req, hub.settings.limits.maxMessageBytes, MESSAGE_SHAPE);
    release();
    if (!body.ok) return writeAnswer(res, bodyRefusal(body.error));
    const tooMany = Array.isArray(body.value) && admission.admitBatch(who.value, body.value.length);
    if (tooMany) return writeAnswer(res, tooMany);

    const answers = await whileConnected(res, (signal) => answerAll(body.value, who.value, signal));
    const [first] = answers;
    if (!first) return writeAnswer(res, { status: 202, headers: {}, body: "" });
    const isBatch = Array.isArray(body.value) && body.value.length > 0;
    writeAnswer(res, {
      status: isBatch ? 200 : first.status,
      headers: { "content-type": "application/json", "cache-control": "no-store" },
      body: isBatch ? `[${answers.map(({ text }) => text).join(",")}]` : first.text,
    });
  }

  async function answerAll(
    body: unknown,
    principal: AgentPrincipal,
    signal: AbortSignal,
  ): Promise<Answered[]> {
    const messages = Array.isArray(body) && body.length > 0 ? body : [body];
    const members = messages.map((message) => ({
      ...calledBy(message, principal),
      run: () => answerOne(message, principal, signal),
    }));
    const answers = await hub.runBatch(members, signal);
    return answers.filter((answer) => answer !== undefined);
  }

  /** Who a message is from, and what it calls, where it does. */
  function calledBy(body: unknown, principal: AgentPrincipal): Pick<BatchMember<never>, "caller" | "call"> {
    const message = messageOf(body);
    const params = message && "params" in message ? message.params : {};
    const caller = callerOf(principal, params);
    const isCall = message && "method" in message && message.method === "tools/call";
    return isCall && typeof params.name === "string"
      ? { caller, call: { name: params.name, arguments: params.arguments ?? {}, caller, via: "mcp" } }
      : { caller };
  }

  /** Undefined for a notification: nobody waits for an answer to it. */
  async function answerOne(
    body: unknown,
    principal: AgentPrincipal,
    signal: AbortSignal,
  ): Promise<Answered | undefined> {
    const message = messageOf(body);
    if (message?.kind !== "request" && message?.kind !== "notification") {
      return failed(idOf(body), { code: RPC.invalidRequest, message: NO_REQUEST }, 400);
    }
    const { method, params } = message;
    const caller = callerOf(principal, params);
    const answer = await METHODS[method]?.({ params, caller, signal, hub, lists: deps.lists });
    if (message.kind === "notification") return undefined;
    const { id } = message;
    if (!answer) return failed(id, { code: RPC.methodNotFound, message: unknownMethod(method) });
    return "fault" in answer
      ? failed(id, answer.fault, answer.status)
      : { text: resultText(id, answer.result), status: 200 };
  }

  function callerOf({ agent, tokenId, scopes }: AgentPrincipal, params: Params): Caller {
    const conversation = conversationOf(params) ?? tokenId;
    return hub.identity.callerFor(agent, { tokenId, scopes, conversation });
  }

  mountRoute(app, async (req, res) => {
    try {
      await serve(req, res);
    } catch (error) {
      if (req.errored || res.destroyed) return;
      deps.log.error({ error: textOf(error) }, "a request at /rpc failed");
      writeAnswer(res, rpcError(500, RPC.internalError, "internal error; the daemon's log says more"));
    }
  });
}

interface Asked {
  readonly params: Params;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly hub: Pick<Hub, "callTool">;
  readonly lists: RpcDeps["lists"];
}

/** A result as JSON, or an error. */
type Came = { readonly result: string } | { readonly fault: RpcFault; readonly status?: number };

const METHODS: Readonly<Record<string, ((asked: Asked) => Promise<Came>) | undefined>> = Object.assign(
  Object.create(null),
  { "tools/list": listTools, "tools/call": callTool },
);

async function listTools({ caller, lists }: Asked): Promise<Came> {
  const { text } = await lists.for(caller);
  return { result: `{"tools":${text}}` };
}

async function callTool({ params, caller, signal, hub }: Asked): Promise<Came> {
  const { name, arguments: args = {} } = params;
  if (typeof name !== "string") {
    return { fault: { code: RPC.invalidParams, message: "params.name must be the name of a tool" } };
  }
  const meta = passedOn(params);
  const outcome = await hub.callTool({
    ...{ name, arguments: args, caller, via: "mcp", signal },
    ...(meta && { meta }),
    ...(typeof meta?.traceparent === "string" && { traceparent: meta.traceparent }),
  });
  if (outcome.outcome === "ok") return { result: JSON.stringify(resultOf(outcome)) };
  const status = outcome.outcome === "not_granted" ? 403 : 200;
  return { fault: outcome.fault ?? faultOf(outcome), status };
}

/** What the tool gave, itself: its structured result, or the object that its text is, or its text. */
function resultOf(outcome: ToolOutcome): unknown {
  const { structured, structuredValue, text, content, truncated, fullOutput } = outcome;
  if (structured) return structured;
  if (structuredValue !== undefined) return structuredValue;
  const isText = content.every(({ type }) => type === "text");
  if (isText && !truncated) return objectIn(text) ?? { text };
  return {
    text,
    ...(isText ? {} : { content }),
    ...(truncated && { truncated, ...(fullOutput && { full_output: fullOutput }) }),
  };
}

function objectIn(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function faultOf({ outcome, error, text, callId }: ToolOutcome): RpcFault {
  return {
    code: FAULT_CODES[outcome] ?? RPC.refused,
    message: error?.message ?? text,
    data: {
      outcome,
      call_id: callId,
      ...(error?.remedy !== undefined && { remedy: error.remedy }),
      ...(error?.details && { details: error.details }),
    },
  };
}

const FAULT_CODES: Readonly<Partial<Record<OutcomeName, number>>> = {
  unknown_tool: RPC.invalidParams,
  ambiguous_tool: RPC.invalidParams,
  invalid_arguments: RPC.invalidParams,
  internal_error: RPC.internalError,
};

const NO_REQUEST = 'expected a JSON-RPC request such as {"jsonrpc":"2.0","id":1,"method":"tools/list"}';

function unknownMethod(method: string): string {
  return `there is no ${JSON.stringify(method.slice(0, 100))} here, only tools/list and tools/call; /mcp speaks all of MCP`;
}

function failed(id: RequestId | null, fault: RpcFault, status = 200): Answered {
  return { text: errorText(id, fault), status };
}

function conversationOf(params: Params): string | undefined {
  const value = metaOf(params)[CONVERSATION_KEY];
  const isUsable = typeof value === "string" && value.length > 0 && value.length <= MAX_CONVERSATION_LENGTH;
  return isUsable ? value : undefined;
}

/** Runs `work` with a signal that aborts when the client goes away before it has its answer. */
async function whileConnected<T>(res: ServerResponse, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const gone = new AbortController();
  const onClose = () => gone.abort(new Error("the client closed the connection"));
  res.once("close", onClose);
  try {
    return await work(gone.signal);
  } finally {
    res.off("close", onClose);
  }
}

/** The route works on Node's own request and response; Fastify must neither read the body nor answer. */
function mountRoute(
  app: FastifyInstance,
  serve: (req: IncomingMessage, res: ServerResponse) => Promise<void>,
): void {
  const schema = { summary: "Takes a bare JSON-RPC request: tools/list or tools/call" };
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _body, done) => done(null));
    scope.post("/rpc", { schema }, (request, reply) => {
      reply.hijack();
      return serve(request.raw, reply.raw);
    });
  });
}
