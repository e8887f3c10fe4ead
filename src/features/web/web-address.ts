import { hostOf } from "../../lib/address/hosts-in.ts";
import { err, ok, type Result } from "../../lib/result.ts";

export const MAX_ADDRESS = 4_096;

/** A web address as a model writes it, where `example.com/page` means https. The error says what was expected. */
export function parseWebAddress(written: string): Result<URL, string> {
  const trimmed = written.trim();
  const full =
    /^[a-z][a-z0-9+.-]*:/i.test(trimmed) && !/^[^/]+:\d+(\/|$)/.test(trimmed)
      ? trimmed
      : `https://${trimmed}`;
  if (!URL.canParse(full))
    return err(
      `Expected an address such as https://example.com/page, but got ${JSON.stringify(cut(written))}.`,
    );
  const url = new URL(full);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return err(`Expected an http:// or https:// address, but got one that begins with ${url.protocol}`);
  if (url.username || url.password)
    return err(`The address of ${url.host} holds a user name or password. Leave them out.`);
  return ok(url);
}

/** Where a request for it goes, as `Tool.hostsOf` has it. A redirect elsewhere takes nothing along. */
export function hostsOfAddress({ url: written }: { readonly url: string }): readonly string[] {
  const url = parseWebAddress(written);
  const host = url.ok ? hostOf(url.value.href) : undefined;
  return host === undefined ? [] : [host];
}

/** `reference` as seen from `base`, when it is a web address. */
export function resolveWebAddress(reference: string, base: string): URL | undefined {
  if (reference.length > MAX_ADDRESS || !URL.canParse(reference, base)) return undefined;
  const url = new URL(reference, base);
  return url.protocol === "http:" || url.protocol === "https:" ? url : undefined;
}

function cut(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
