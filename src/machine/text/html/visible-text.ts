/**
 * Removes invisible characters: control characters, zero-width ones, direction marks, tags. They can hide words from
 * people. Joiners stay, because several scripts and emoji need them.
 */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, "");
}

const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;
