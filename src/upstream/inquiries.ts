import type { Answering, Caller, Inquiry } from "../tool.ts";

/** A call under way, as far as inquiries go. */
export interface InquiredCall {
  readonly caller: Caller;
  readonly answering?: Answering;
  readonly signal: AbortSignal;
}

/** Whose answers count as one caller's: an agent, with one token, in one conversation. */
export function conversationOf({ agentId, tokenId, conversation }: Caller): string {
  return JSON.stringify([agentId, tokenId, conversation]);
}

/** What a server asks back cannot be brought to anybody; `message` is for the server. */
export class InquiryRefused extends Error {}

/**
 * Brings what a server asks back on a connection to the caller it belongs to. The protocol up to 2025-11-25 does
 * not say which call an inquiry is about, so it is only passed on where there is no doubt: every call that this
 * connection ever carried came from one conversation. Everything else is refused, never guessed.
 */
export class Inquiries {
  readonly #open = new Set<InquiredCall>();
  #conversation: string | undefined;
  #mixed = false;

  /** The conversation that all calls so far came from; undefined when there was none, or more than one. */
  get conversation(): string | undefined {
    return this.#mixed ? undefined : this.#conversation;
  }

  /** How many calls are under way. */
  get openCalls(): number {
    return this.#open.size;
  }

  begin(call: InquiredCall): void {
    const conversation = conversationOf(call.caller);
    this.#conversation ??= conversation;
    if (conversation !== this.#conversation) this.#mixed = true;
    this.#open.add(call);
  }

  /** Something else than a call uses the connection, which may be asked about as well. */
  blur(): void {
    this.#mixed = true;
  }

  end(call: InquiredCall): void {
    this.#open.delete(call);
  }

  /** Rejects with InquiryRefused when it belongs to nobody for certain, or to a caller that cannot answer it. */
  async answer(inquiry: Inquiry, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    const [call] = this.#open;
    if (!call) throw new InquiryRefused("no call is under way that this could be about");
    if (this.#mixed) {
      throw new InquiryRefused(
        "this connection serves several callers, and it is not certain whom this is for",
      );
    }
    const answering = [...this.#open].find((each) => canAnswer(each.answering, inquiry));
    if (!answering) throw new InquiryRefused("the caller of this tool cannot be asked");
    return await answerWith(answering, inquiry, signal);
  }
}

/** For an inquiry that came as the answer to a call, and so belongs to it. */
export async function answerWith(
  { answering, signal }: InquiredCall,
  inquiry: Inquiry,
  connection: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  if (!answering || !canAnswer(answering, inquiry)) {
    throw new InquiryRefused("the caller of this tool cannot be asked");
  }
  return await answering.answer(inquiry, AbortSignal.any([signal, connection]));
}

function canAnswer(answering: Answering | undefined, { method }: Inquiry): boolean {
  return answering !== undefined && answering.capabilities[CAPABILITY[method]] !== undefined;
}

const CAPABILITY: Readonly<Record<Inquiry["method"], string>> = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
};
