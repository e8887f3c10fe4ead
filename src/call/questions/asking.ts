import { withHiddenShown } from "../../lib/text/hidden-characters.ts";
import type { Asking } from "../../questions/questions.ts";

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
export function shownAsking(asking: Asking, { redact, redactAsked }: Redactors): Asking | undefined {
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
