import { createHash } from "node:crypto";
import { stableJson } from "../../lib/json.ts";
import { withHiddenShown } from "../../lib/text/hidden-characters.ts";
import type { QuestionRecord } from "../../machine/db/store.ts";

export interface Asking {
  readonly kind: QuestionRecord["kind"];
  readonly agentId: string;
  readonly agentName: string;
  /** Equal open questions are shared by this digest: agent, tool and arguments, see `questionDigest`. */
  readonly digest: string;
  readonly prompt: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Whether an answer of this question still counts for this call; absent: it does. */
  readonly isGood?: (question: QuestionRecord) => Promise<boolean>;
}

/**
 * `pending`: nobody answered within the wait; asking the same again later picks the answer up. `headless`: nobody is asked
 * for this agent. Of an approval `rejected` is told again for a while, without asking anew.
 */
export type Answer =
  | {
      readonly kind: "answered";
      readonly id: string;
      readonly answer: string;
      readonly by?: string;
      /** For `giveBack`: of a batch, the one that was used up. */
      readonly used: string;
    }
  | { readonly kind: "rejected"; readonly id: string; readonly reason?: string }
  | { readonly kind: "dismissed"; readonly id: string }
  | { readonly kind: "pending"; readonly id: string; readonly expiresAt: number }
  | { readonly kind: "headless" }
  | { readonly kind: "too_many"; readonly limit: number }
  /** It cannot be shown whole, and nobody agrees to what they do not see. */
  | { readonly kind: "too_long"; readonly limit: number };

/** Equal calls of one agent have equal digests, whatever order their arguments were written in. */
export function questionDigest(agentId: string, tool: string, args: unknown): string {
  return createHash("sha256")
    .update(stableJson([agentId, tool, args]))
    .digest("hex");
}

/** In characters: of each text of a question, and of all calls of a batch. */
export const MAX_SHOWN = 64 * 1024;

/** Takes secrets out of what people are shown. */
export interface Redactors {
  readonly redact: (text: string) => string;
  /** Leaves in what agents set themselves: with that they could hide what a person is to agree to. */
  readonly redactAsked: (text: string) => string;
}

/** Of its details those that are texts of agents and servers. */
const TEXTS = ["arguments", "reason", "description"];

/**
 * The question as it is kept and shown: without secrets and, where somebody agrees to something, with nothing hidden in it.
 * Undefined where it cannot be shown whole: nobody agrees to what they do not see.
 */
export function visibleAsking(asking: Asking, { redact, redactAsked }: Redactors): Asking | undefined {
  const { kind, prompt, details } = asking;
  if (kind !== "approval" && kind !== "access") {
    const choices = Array.isArray(details.choices) ? details.choices.map(String).map(redact) : undefined;
    return { ...asking, prompt: redact(prompt), details: { ...details, ...(choices && { choices }) } };
  }
  const texts = TEXTS.map((key) => [key, details[key]] as const).filter(isText);
  const whole = [prompt, ...texts.map(([, text]) => text)];
  if (whole.some(isTooLong)) return undefined;
  const [shownPrompt = "", ...shown] = whole.map((text) => withHiddenShown(redactAsked(text)));
  if ([shownPrompt, ...shown].some(isTooLong)) return undefined;
  const shownTexts = Object.fromEntries(texts.map(([key], at) => [key, shown[at]]));
  return { ...asking, prompt: shownPrompt, details: { ...details, ...shownTexts } };
}

function isText(entry: readonly [string, unknown]): entry is readonly [string, string] {
  return typeof entry[1] === "string";
}

function isTooLong({ length }: string): boolean {
  return length > MAX_SHOWN;
}
