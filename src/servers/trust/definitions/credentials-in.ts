import { withoutCredentials } from "../../../call/vault/credentials.ts";

/** Without one of these no text has a credential; most have none. */
const SIGN =
  /-----BEGIN|eyJ|AKIA|ASIA|ABIA|ACCA|gh[pousr]_|github_pat_|gl(?:pat|dt|rt|ptt|soat|ft)-|xox[abceprs]-|xapp-|hooks\.slack|AIza|ya29\.|k_(?:live|test)_|sk-|npm_|:\/\/[^\s/:@]{0,255}:|(?:passw|passphrase|pwd|secret|token|credential|key|bearer|basic)[^\n]{0,12}[:=\s]/i;

/** Kinds that go by the word before a value and not by the value itself, which may be an example. */
const BY_WORD = new Set(["assignment", "authorization", "url_password"]);
const EXAMPLE =
  /your|example|sample|dummy|placeholder|change|passw|secret|token|key|user|here|test|demo|foo|bar|x{3}|\.{3}|[<>{}()$[\]*]|12345|abc/i;

/** What a server's text says without the credentials in it, each replaced by its kind; the same text where it has none. */
export function withoutCredentialsIn(text: string): string {
  return SIGN.test(text) ? withoutCredentials(text, isReal).text : text;
}

/** Descriptions show how a value is written: what stands for one, a type or an ordinary word, is none. */
function isReal(kind: string, value: string): boolean {
  if (!BY_WORD.has(kind)) return !/x{6}|X{6}|\.{3}|0{8}|EXAMPLE|your/.test(value);
  return (
    value.length >= 8 &&
    /\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    !EXAMPLE.test(value) &&
    !/^https?:/.test(value)
  );
}
