import type { Caller } from "../../contract/caller.ts";
import type { Answering, Asked, Inquiry, Listening } from "../../contract/tool.ts";
import { linkSignals } from "../../lib/flow/link-signals.ts";
import { isRecord } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";

type JsonObject = Readonly<Record<string, unknown>>;

const MAX_INQUIRIES = 32;
const MAX_NAME_CHARS = 200;
const MAX_STATE_CHARS = 256 * 1024;
const METHODS: readonly unknown[] = ["elicitation/create", "sampling/createMessage", "roots/list"];

/** A call under way, as far as inquiries and what a server tells go. */
export interface InquiredCall extends Listening {
  readonly caller: Caller;
  readonly answering?: Answering;
  readonly signal: AbortSignal;
}

/** Whose answers count as one caller's: an agent, with one token, in one conversation. */
export function conversationOf({ agentId, tokenId, conversation }: Caller): string {
  return JSON.stringify([agentId, tokenId, conversation]);
}

/** What a server asks back cannot be brought to anybody; everything in it is for the server. */
export class InquiryRefused extends Error {
  readonly code: number | undefined;
  readonly data: unknown;

  constructor(message: string, { code, data }: { code?: number; data?: unknown } = {}) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const MISSING_CAPABILITY = -32021;

function cannotBeAsked({ method }: Inquiry): InquiryRefused {
  const data = { requiredCapabilities: { [CAPABILITY[method]]: {} } };
  return new InquiryRefused("the caller of this tool cannot be asked", { code: MISSING_CAPABILITY, data });
}

/**
 * Brings what a server asks back on a connection to the caller it belongs to. The protocol up to 2025-11-25 does
 * not say which call an inquiry is about, so it is only passed on where there is no doubt: every call that this
 * connection ever carried came from one conversation, and one that answers for itself alone is alone. Everything else is refused, never guessed.
 */
export class Inquiries {
  /** A list: a set of what comes and goes this fast keeps it alive (see `lib/flow/slots.ts`). */
  readonly #open: InquiredCall[] = [];
  #conversation: string | undefined;
  #mixed = false;
  #lastCaller: Caller | undefined;

  /** The conversation that all calls so far came from; undefined when there was none, or more than one. */
  get conversation(): string | undefined {
    return this.#mixed ? undefined : this.#conversation;
  }

  /** How many calls are under way. */
  get openCalls(): number {
    return this.#open.length;
  }

  /** The calls under way, where it is certain that what the server says is for their conversation; otherwise none. */
  get certain(): Iterable<InquiredCall> {
    return this.#mixed ? [] : this.#open;
  }

  /** A call that stands for itself alone leaves no doubt only while there is no other. */
  get #isCertain(): boolean {
    const calls = [...this.#open];
    return !this.#mixed && (calls.length < 2 || !calls.some(({ answering }) => answering?.isExclusive));
  }

  begin(call: InquiredCall): void {
    this.#open.push(call);
    if (this.#mixed || call.caller === this.#lastCaller) return;
    this.#lastCaller = call.caller;
    const conversation = conversationOf(call.caller);
    this.#conversation ??= conversation;
    if (conversation !== this.#conversation) this.#mixed = true;
  }

  end(call: InquiredCall): void {
    const index = this.#open.indexOf(call);
    if (index !== -1) this.#open.splice(index, 1);
  }

  /** Rejects with InquiryRefused when it belongs to nobody for certain, or to a caller that cannot answer it. */
  async answer(inquiry: Inquiry, signal: AbortSignal): Promise<JsonObject> {
    const [call] = this.#open;
    if (!call) throw new InquiryRefused("no call is under way that this could be about");
    if (!this.#isCertain) {
      throw new InquiryRefused(
        "this connection serves several callers, and it is not certain whom this is for",
      );
    }
    const asked = this.askable(inquiry);
    if (!asked) throw cannotBeAsked(inquiry);
    return await answerWith(asked, inquiry, signal);
  }

  /** The call whose caller can be asked this; undefined where there is none, or it is not certain which. */
  askable(inquiry: Inquiry): InquiredCall | undefined {
    if (!this.#isCertain) return undefined;
    return [...this.#open].find(({ answering }) => canAnswer(answering, inquiry));
  }
}

/** For an inquiry that came as the answer to a call, and so belongs to it. */
export async function answerWith(
  { answering, signal }: InquiredCall,
  inquiry: Inquiry,
  connection: AbortSignal,
): Promise<JsonObject> {
  if (!answering || !canAnswer(answering, inquiry)) {
    throw cannotBeAsked(inquiry);
  }
  const either = new AbortController();
  // Not AbortSignal.any, which does not hear of the light signal of a call.
  const unlink = linkSignals(either, signal, connection);
  try {
    return await answering.answer(inquiry, either.signal);
  } finally {
    unlink();
  }
}

function canAnswer(answering: Answering | undefined, inquiry: Inquiry): boolean {
  return answering !== undefined && canBeAsked(answering.capabilities, inquiry);
}

/** Whether somebody with these MCP client capabilities can be asked this. */
export function canBeAsked(capabilities: Answering["capabilities"], { method }: Inquiry): boolean {
  return capabilities[CAPABILITY[method]] !== undefined;
}

const CAPABILITY: Readonly<Record<Inquiry["method"], string>> = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
};

/** What a server of 2026-07-28 wants to know before it goes on; undefined for an answer that is one. */
export function inquiriesIn(answer: JsonObject): Result<Asked, string> | undefined {
  if (answer.resultType !== "input_required") return undefined;
  const { inputRequests, requestState } = answer;
  const requests = Object.entries(isRecord(inputRequests) ? inputRequests : {});
  if (requests.length > MAX_INQUIRIES) {
    return err(`it asks more than ${MAX_INQUIRIES} things at once`);
  }
  if (requests.length === 0 && typeof requestState !== "string") {
    return err("it asks for input and does not say which");
  }
  if (typeof requestState === "string" && requestState.length > MAX_STATE_CHARS) {
    return err(`the state it wants back has more than ${MAX_STATE_CHARS} characters`);
  }
  const inquiries: [string, Inquiry][] = [];
  for (const [name, request] of requests) {
    const inquiry = inquiryOf(request);
    if (!inquiry || name.length > MAX_NAME_CHARS) return err("it asks in a way that is not known");
    inquiries.push([name, inquiry]);
  }
  // Not by assignment: `__proto__` is a name like any other.
  const asked = { inquiries: Object.fromEntries(inquiries) };
  return ok(typeof requestState === "string" ? { ...asked, state: requestState } : asked);
}

/** Whether somebody with these MCP client capabilities can be asked all of it. */
export function canAnswerAll({ inquiries }: Asked, capabilities: JsonObject): boolean {
  return Object.values(inquiries).every((inquiry) => canBeAsked(capabilities, inquiry));
}

function inquiryOf(request: unknown): Inquiry | undefined {
  if (!isRecord(request) || !METHODS.includes(request.method)) return undefined;
  const { method, params = {} } = request;
  return isRecord(params) ? { method: method as Inquiry["method"], params } : undefined;
}
