import { SealedText } from "../../../call/vault/sealed-text.ts";
import type { Vault } from "../../../call/vault/vault.ts";
import type { Clock } from "../../../lib/clock.ts";
import { err, ok, type Result } from "../../../lib/result.ts";

const PURPOSE = "toolkeep/request-state";
/** The limit for a server's state, sealed and encoded as text. */
const MAX_LENGTH = 1024 * 1024;

/** The token and target that a call's state is bound to: with another token or for another target it is worthless. */
export interface StateBinding {
  readonly tokenId: string;
  readonly method: string;
  /** The tool, resource or prompt, and where it was called. */
  readonly target: string;
}

/** The state that a call needs to continue after it asked its caller. */
export type CallState =
  /** The call waits in this process. */
  | { readonly kind: "held"; readonly call: string }
  /** Nothing waits: the server returned this state. */
  | {
      readonly kind: "forwarded";
      readonly tool?: string;
      readonly state?: string;
      readonly approved?: string;
      readonly approval?: string;
    };

interface SealedState {
  readonly bound: StateBinding;
  readonly until: number;
  readonly state: CallState;
}

/** Lets clients keep the state of their calls in a form that they can neither read nor change. */
export class RequestStates {
  readonly #texts: SealedText<SealedState>;
  readonly #clock: Clock;
  readonly #lifeMs: number;

  constructor(vault: Pick<Vault, "seal" | "unseal">, clock: Clock, lifeMs: number) {
    this.#texts = new SealedText(vault, PURPOSE, MAX_LENGTH);
    this.#clock = clock;
    this.#lifeMs = lifeMs;
  }

  seal(bound: StateBinding, state: CallState): string {
    return this.#texts.seal({ bound, until: this.#clock() + this.#lifeMs, state });
  }

  /** The error is a sentence for the client. */
  open(text: unknown, bound: StateBinding): Result<CallState, string> {
    const sealed = this.#texts.open(text);
    const isOwn = sealed && KEYS.every((key) => sealed.bound[key] === bound[key]);
    if (!isOwn)
      return err("requestState is not one that was given out for this request; make the call without it");
    if (sealed.until <= this.#clock()) return err("requestState has expired; make the call again without it");
    return ok(sealed.state);
  }
}

const KEYS = ["tokenId", "method", "target"] as const;
