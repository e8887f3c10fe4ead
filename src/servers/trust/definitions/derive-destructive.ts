/** Whether a tool destroys something, by its own words. */
import { words } from "./words.ts";

const MAX_TEXT = 300;

/** Drag and drop destroys nothing. */
const NAME =
  /\b(deletes?|removes?|rm|(?<!\band )drops?|purges?|destroys?|wipes?|erases?|truncates?|resets?|overwrites?|uninstalls?|revokes?|terminates?|kills?|force push|clears?|empty|discards?|prunes?|unlinks?|deprovision)\b/;
const TEXT =
  /\b(permanently|irreversibl[ey]|can ?not be undone|destructive)\b|\b(deletes?|removes?|drops?|purges?|destroys?|wipes?|erases?|truncates?|overwrites?) (?:an?|the|all|any|one|multiple|existing|every|specified|your|this)\b/;

/**
 * By the verbs of its name, and by what the beginning of its description says outright. The protocol has everything destroy that
 * does not say otherwise; since hardly a server says anything, then everything would ask.
 */
export function saysItDestroys({ name, description }: { name: string; description: string }): boolean {
  return NAME.test(words(name)) || TEXT.test(description.slice(0, MAX_TEXT).toLowerCase());
}
