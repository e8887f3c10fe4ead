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
import { MESSAGE_SHAPE, toBodyRefusal } from "./http/body-limits.ts";
import { writeAnswer } from "./http/reply.ts";
import {
  formatError,
  formatResult,
  type Params,
  parseMessage,
  type RequestId,
  RPC,
  type RpcFault,
  readId,
  readMeta,
  rpcError,
} from "./messages.ts";
import { pickForwardedMeta } from "./methods.ts";
import type { ToolLists } from "./tool-lists.ts";

const CONVERSATION_KEY = "toolkeep/conversation";
const MAX_CONVERSATION_LENGTH = 128;

export interface RpcDeps {
  readonly lists: Pick<ToolLists, "getList">;
  readonly log: Log;
}

/** The answer to one message. `status` applies if it came alone. */
interface RpcAnswer {
  readonly text: string;
  readonly status: number;
}

/**
 * Serves `POST /rpc`: JSON-RPC 2.0 without MCP, with `tools/list` and `tools/call`. A result is what the tool returned,
 * not a list of content blocks. Tokens, lists and the path of a call are the same as at `/mcp`. A call that did not
 * succeed is an error whose `data.outcome` says why. Calls of a batch run side by side if they may, the rest in order.
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
    if (!body.ok) return writeAnswer(res, toBodyRefusal(body.error));
    const tooMany = Array.isArray(body.value) && admission.admitBatch(who.value, body.value.length);
    if (tooMany) return writeAnswer(res, tooMany);

    const answers = await runWhileConnected(res, (signal) => answerAll(body.value, who.value, signal));
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
  ): Promise<RpcAnswer[]> {
    const messages = Array.isArray(body) && body.length > 0 ? body : [body];
    const members = messages.map((message) => ({
      ...describeMember(message, principal),
      run: () => answerOne(message, principal, signal),
    }));
    const answers = await hub.runBatch(members, signal);
    return answers.filter((answer) => answer !== undefined);
  }

  /** The caller of a message and the call that it makes, if any. */
  function describeMember(
    body: unknown,
    principal: AgentPrincipal,
  ): Pick<BatchMember<never>, "caller" | "call"> {
    const message = parseMessage(body);
    const params = message && "params" in message ? message.params : {};
    const caller = buildCaller(principal, params);
    const isCall = message && "method" in message && message.method === "tools/call";
    return isCall && typeof params.name === "string"
      ? { caller, call: { name: params.name, arguments: params.arguments ?? {}, caller, via: "mcp" } }
      : { caller };
  }

  /** Undefined for a notification, which is not answered. */
  async function answerOne(
    body: unknown,
    principal: AgentPrincipal,
    signal: AbortSignal,
  ): Promise<RpcAnswer | undefined> {
    const message = parseMessage(body);
    if (message?.kind !== "request" && message?.kind !== "notification") {
      return toErrorAnswer(readId(body), { code: RPC.invalidRequest, message: NO_REQUEST }, 400);
    }
    const { method, params } = message;
    const caller = buildCaller(principal, params);
    const answer = await METHODS[method]?.({ params, caller, signal, hub, lists: deps.lists });
    if (message.kind === "notification") return undefined;
    const { id } = message;
    if (!answer)
      return toErrorAnswer(id, { code: RPC.methodNotFound, message: describeUnknownMethod(method) });
    return "fault" in answer
      ? toErrorAnswer(id, answer.fault, answer.status)
      : { text: formatResult(id, answer.result), status: 200 };
  }

  function buildCaller({ agent, tokenId, scopes }: AgentPrincipal, params: Params): Caller {
    const conversation = readConversation(params) ?? tokenId;
    return hub.identity.callerFor(agent, { tokenId, scopes, conversation });
  }

  mountRoute(app, async (req, res) => {
    try {
      await serve(req, res);
    } catch (error) {
      if (req.errored || res.destroyed) return;
      deps.log.error({ error: textOf(error) }, "gateway: a request at /rpc failed");
      writeAnswer(res, rpcError(500, RPC.internalError, "internal error; the daemon's log says more"));
    }
  });
}

interface MethodInput {
  readonly params: Params;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly hub: Pick<Hub, "callTool">;
  readonly lists: RpcDeps["lists"];
}

/** A result as JSON text, or an error. */
type MethodResult = { readonly result: string } | { readonly fault: RpcFault; readonly status?: number };

const METHODS: Readonly<Record<string, ((input: MethodInput) => Promise<MethodResult>) | undefined>> =
  Object.assign(Object.create(null), { "tools/list": listTools, "tools/call": callTool });

async function listTools({ caller, lists }: MethodInput): Promise<MethodResult> {
  const { text } = await lists.getList(caller);
  return { result: `{"tools":${text}}` };
}

async function callTool({ params, caller, signal, hub }: MethodInput): Promise<MethodResult> {
  const { name, arguments: args = {} } = params;
  if (typeof name !== "string") {
    return { fault: { code: RPC.invalidParams, message: "params.name must be the name of a tool" } };
  }
  const meta = pickForwardedMeta(params);
  const outcome = await hub.callTool({
    ...{ name, arguments: args, caller, via: "mcp", signal },
    ...(meta && { meta }),
    ...(typeof meta?.traceparent === "string" && { traceparent: meta.traceparent }),
  });
  if (outcome.outcome === "ok") return { result: JSON.stringify(toResult(outcome)) };
  const status = outcome.outcome === "not_granted" ? 403 : 200;
  return { fault: outcome.fault ?? toFault(outcome), status };
}

/** The tool's result: its structured result, the object that its text parses to, or its text. */
function toResult(outcome: ToolOutcome): unknown {
  const { structured, structuredValue, text, content, truncated, fullOutput } = outcome;
  if (structured) return structured;
  if (structuredValue !== undefined) return structuredValue;
  const isText = content.every(({ type }) => type === "text");
  if (isText && !truncated) return parseObject(text) ?? { text };
  return {
    text,
    ...(isText ? {} : { content }),
    ...(truncated && { truncated, ...(fullOutput && { full_output: fullOutput }) }),
  };
}

function parseObject(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toFault({ outcome, error, text, callId }: ToolOutcome): RpcFault {
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

function describeUnknownMethod(method: string): string {
  return `there is no ${JSON.stringify(method.slice(0, 100))} here, only tools/list and tools/call; /mcp speaks all of MCP`;
}

function toErrorAnswer(id: RequestId | null, fault: RpcFault, status = 200): RpcAnswer {
  return { text: formatError(id, fault), status };
}

function readConversation(params: Params): string | undefined {
  const value = readMeta(params)[CONVERSATION_KEY];
  const isUsable = typeof value === "string" && value.length > 0 && value.length <= MAX_CONVERSATION_LENGTH;
  return isUsable ? value : undefined;
}

/** Runs `work` with a signal that aborts if the client disconnects before it has its answer. */
async function runWhileConnected<T>(
  res: ServerResponse,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const disconnected = new AbortController();
  const onClose = () => disconnected.abort(new Error("the client closed the connection"));
  res.once("close", onClose);
  try {
    return await work(disconnected.signal);
  } finally {
    res.off("close", onClose);
  }
}

/** The route uses Node's own request and response; Fastify must neither read the body nor answer. */
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
