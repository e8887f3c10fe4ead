import { hostOf } from "../../lib/address/hosts-in.ts";
import { err, ok, type Result } from "../../lib/result.ts";

export const MAX_ADDRESS = 4_096;

/** Parses a web address; `example.com/page` means https. The error says what was expected. */
export function parseWebAddress(text: string): Result<URL, string> {
  const trimmed = text.trim();
  const full =
    /^[a-z][a-z0-9+.-]*:/i.test(trimmed) && !/^[^/]+:\d+(\/|$)/.test(trimmed)
      ? trimmed
      : `https://${trimmed}`;
  if (!URL.canParse(full))
    return err(
      `Expected an address such as https://example.com/page, but got ${JSON.stringify(shortenText(text))}.`,
    );
  const url = new URL(full);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return err(`Expected an http:// or https:// address, but got one that begins with ${url.protocol}`);
  if (url.username || url.password)
    return err(`The address of ${url.host} contains a user name or password. Leave them out.`);
  return ok(url);
}

/** The hosts that a request goes to, for `Tool.hostsOf`. A redirect to another host carries no credentials. */
export function listHosts({ url: written }: { readonly url: string }): readonly string[] {
  const url = parseWebAddress(written);
  const host = url.ok ? hostOf(url.value.href) : undefined;
  return host === undefined ? [] : [host];
}

/** Resolves `reference` against `base`; undefined if the result is not a web address. */
export function resolveWebAddress(reference: string, base: string): URL | undefined {
  if (reference.length > MAX_ADDRESS || !URL.canParse(reference, base)) return undefined;
  const url = new URL(reference, base);
  return url.protocol === "http:" || url.protocol === "https:" ? url : undefined;
}

function shortenText(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
