import type { Caller } from "../../contract/caller.ts";
import type { Answering, InputRequest, Inquiry, Listening } from "../../contract/tool.ts";
import { linkSignals } from "../../lib/flow/link-signals.ts";
import { isRecord } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";

type JsonObject = Readonly<Record<string, unknown>>;

const MAX_INQUIRIES = 32;
const MAX_NAME_CHARS = 200;
const MAX_STATE_CHARS = 256 * 1024;
const METHODS: readonly unknown[] = ["elicitation/create", "sampling/createMessage", "roots/list"];

/** A call under way, as seen by inquiries and notices. */
export interface AskableCall extends Listening {
  readonly caller: Caller;
  readonly answering?: Answering;
  readonly signal: AbortSignal;
}

/** Identifies whose answers count as one caller's: an agent, with one token, in one conversation. */
export function conversationKey({ agentId, tokenId, conversation }: Caller): string {
  return JSON.stringify([agentId, tokenId, conversation]);
}

/** Nobody can answer the server's inquiry. Message, code and data are sent to the server. */
export class InquiryRefusedError extends Error {
  readonly code: number | undefined;
  readonly data: unknown;

  constructor(message: string, { code, data }: { code?: number; data?: unknown } = {}) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const MISSING_CAPABILITY = -32021;

function refuseInquiry({ method }: Inquiry): InquiryRefusedError {
  const data = { requiredCapabilities: { [CAPABILITY_BY_METHOD[method]]: {} } };
  return new InquiryRefusedError("the caller of this tool cannot be asked", {
    code: MISSING_CAPABILITY,
    data,
  });
}

/**
 * Routes inquiries on a connection to the caller they belong to. Up to 2025-11-25 MCP does not say which call an
 * inquiry is about, so it is passed on only without doubt: every call on this connection came from one conversation,
 * and an exclusive call is alone. Everything else is refused, never guessed.
 */
export class Inquiries {
  /** A list, because a set with such fast turnover keeps its entries alive (see `lib/flow/slots.ts`). */
  readonly #open: AskableCall[] = [];
  #conversation: string | undefined;
  #isMixed = false;
  #lastCaller: Caller | undefined;

  /** The one conversation that every call so far came from; undefined if there was none, or several. */
  get conversation(): string | undefined {
    return this.#isMixed ? undefined : this.#conversation;
  }

  /** The number of calls under way. */
  get openCalls(): number {
    return this.#open.length;
  }

  /** The calls under way if the server's messages are certainly for their conversation; otherwise none. */
  get certainCalls(): Iterable<AskableCall> {
    return this.#isMixed ? [] : this.#open;
  }

  /** An exclusive call is certain only while it is the only one. */
  get #isCertain(): boolean {
    const calls = [...this.#open];
    return !this.#isMixed && (calls.length < 2 || !calls.some(({ answering }) => answering?.isExclusive));
  }

  begin(call: AskableCall): void {
    this.#open.push(call);
    if (this.#isMixed || call.caller === this.#lastCaller) return;
    this.#lastCaller = call.caller;
    const conversation = conversationKey(call.caller);
    this.#conversation ??= conversation;
    if (conversation !== this.#conversation) this.#isMixed = true;
  }

  end(call: AskableCall): void {
    const index = this.#open.indexOf(call);
    if (index !== -1) this.#open.splice(index, 1);
  }

  /** Rejects with `InquiryRefusedError` if it is uncertain whom to ask, or if the caller cannot answer. */
  async answer(inquiry: Inquiry, signal: AbortSignal): Promise<JsonObject> {
    const [call] = this.#open;
    if (!call) throw new InquiryRefusedError("no call is under way that this could belong to");
    if (!this.#isCertain) {
      throw new InquiryRefusedError(
        "this connection serves several callers, and it is uncertain which one this is for",
      );
    }
    const answerer = this.findAnswerer(inquiry);
    if (!answerer) throw refuseInquiry(inquiry);
    return await answerInquiry(answerer, inquiry, signal);
  }

  /** The call whose caller can answer; undefined if there is none, or if it is uncertain which. */
  findAnswerer(inquiry: Inquiry): AskableCall | undefined {
    if (!this.#isCertain) return undefined;
    return [...this.#open].find(({ answering }) => canAnswer(answering, inquiry));
  }
}

/** Answers an inquiry that came as the answer to a call and so belongs to it. */
export async function answerInquiry(
  { answering, signal }: AskableCall,
  inquiry: Inquiry,
  connectionSignal: AbortSignal,
): Promise<JsonObject> {
  if (!answering || !canAnswer(answering, inquiry)) {
    throw refuseInquiry(inquiry);
  }
  const either = new AbortController();
  // AbortSignal.any does not work with the call's LightSignal.
  const unlink = linkSignals(either, signal, connectionSignal);
  try {
    return await answering.answer(inquiry, either.signal);
  } finally {
    unlink();
  }
}

function canAnswer(answering: Answering | undefined, inquiry: Inquiry): boolean {
  return answering !== undefined && canBeAsked(answering.capabilities, inquiry);
}

/** Whether a client with these MCP capabilities can be asked this. */
export function canBeAsked(capabilities: Answering["capabilities"], { method }: Inquiry): boolean {
  return capabilities[CAPABILITY_BY_METHOD[method]] !== undefined;
}

const CAPABILITY_BY_METHOD: Readonly<Record<Inquiry["method"], string>> = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
};

/** Parses the inquiries of a modern server; undefined if the answer is final. */
export function parseInquiries(answer: JsonObject): Result<InputRequest, string> | undefined {
  if (answer.resultType !== "input_required") return undefined;
  const { inputRequests, requestState } = answer;
  const requests = Object.entries(isRecord(inputRequests) ? inputRequests : {});
  if (requests.length > MAX_INQUIRIES) {
    return err(`it asks more than ${MAX_INQUIRIES} things at once`);
  }
  if (requests.length === 0 && typeof requestState !== "string") {
    return err("it asks for input without saying which");
  }
  if (typeof requestState === "string" && requestState.length > MAX_STATE_CHARS) {
    return err(`the state it wants back has more than ${MAX_STATE_CHARS} characters`);
  }
  const inquiries: [string, Inquiry][] = [];
  for (const [name, request] of requests) {
    const inquiry = parseInquiry(request);
    if (!inquiry || name.length > MAX_NAME_CHARS) return err("it asks in a way that is unknown");
    inquiries.push([name, inquiry]);
  }
  // Object.fromEntries rather than assignment, because a server may use the name `__proto__`.
  const asked = { inquiries: Object.fromEntries(inquiries) };
  return ok(typeof requestState === "string" ? { ...asked, state: requestState } : asked);
}

/** Whether a client with these MCP capabilities can answer every inquiry. */
export function canAnswerAll({ inquiries }: InputRequest, capabilities: JsonObject): boolean {
  return Object.values(inquiries).every((inquiry) => canBeAsked(capabilities, inquiry));
}

function parseInquiry(request: unknown): Inquiry | undefined {
  if (!isRecord(request) || !METHODS.includes(request.method)) return undefined;
  const { method, params = {} } = request;
  return isRecord(params) ? { method: method as Inquiry["method"], params } : undefined;
}
