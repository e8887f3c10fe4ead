import { createHash } from "node:crypto";
import { stableJson } from "../../lib/json.ts";
import { escapeHidden } from "../../lib/text/hidden-characters.ts";
import type { QuestionRecord } from "./contract.ts";

export interface QuestionRequest {
  readonly kind: QuestionRecord["kind"];
  readonly agentId: string;
  readonly agentName: string;
  /** Equal open questions share one record by this digest of agent, tool and arguments; see `questionDigest`. */
  readonly digest: string;
  readonly prompt: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Whether an answer to this question still counts for this call; absent: it does. */
  readonly isStillValid?: (question: QuestionRecord) => Promise<boolean>;
}

/**
 * `pending`: nobody answered within the wait; asking the same again later picks the answer up. `headless`: nobody is
 * asked for this agent. A rejected approval keeps answering `rejected` for a while, without asking anew.
 */
export type Answer =
  | {
      readonly kind: "answered";
      readonly id: string;
      readonly answer: string;
      readonly by?: string;
      /** The id for `release`; in a batch, that of the member. */
      readonly usedId: string;
    }
  | { readonly kind: "rejected"; readonly id: string; readonly reason?: string }
  | { readonly kind: "dismissed"; readonly id: string }
  | { readonly kind: "pending"; readonly id: string; readonly expiresAt: number }
  | { readonly kind: "headless" }
  | { readonly kind: "too_many"; readonly limit: number }
  /** It cannot be shown in full, and nobody can agree to what they do not see. */
  | { readonly kind: "too_long"; readonly limit: number };

/** Equal calls of one agent have equal digests, whatever the order of their arguments. */
export function questionDigest(agentId: string, tool: string, args: unknown): string {
  return createHash("sha256")
    .update(stableJson([agentId, tool, args]))
    .digest("hex");
}

/** In characters: for each text of a question, and for all calls of a batch together. */
export const MAX_SHOWN = 64 * 1024;

/** Remove secrets from what people are shown. */
export interface Redactors {
  readonly redact: (text: string) => string;
  /** Keeps secrets that agents set themselves: with those they could hide what a person is to agree to. */
  readonly redactForApproval: (text: string) => string;
}

/** The details that contain texts of agents and servers. */
const TEXTS = ["arguments", "reason", "description"];

/**
 * The question as it is stored and shown: without secrets and, where somebody agrees to something, with hidden
 * characters made visible. Undefined where it cannot be shown in full, because nobody can agree to what they do not
 * see.
 */
export function makeVisible(
  request: QuestionRequest,
  { redact, redactForApproval }: Redactors,
): QuestionRequest | undefined {
  const { kind, prompt, details } = request;
  if (kind !== "approval" && kind !== "access") {
    const choices = Array.isArray(details.choices) ? details.choices.map(String).map(redact) : undefined;
    return { ...request, prompt: redact(prompt), details: { ...details, ...(choices && { choices }) } };
  }
  const texts = TEXTS.map((key) => [key, details[key]] as const).filter(isText);
  const allTexts = [prompt, ...texts.map(([, text]) => text)];
  if (allTexts.some(isTooLong)) return undefined;
  const [visiblePrompt = "", ...visible] = allTexts.map((text) => escapeHidden(redactForApproval(text)));
  if ([visiblePrompt, ...visible].some(isTooLong)) return undefined;
  const visibleTexts = Object.fromEntries(texts.map(([key], at) => [key, visible[at]]));
  return { ...request, prompt: visiblePrompt, details: { ...details, ...visibleTexts } };
}

function isText(entry: readonly [string, unknown]): entry is readonly [string, string] {
  return typeof entry[1] === "string";
}

function isTooLong({ length }: string): boolean {
  return length > MAX_SHOWN;
}
