import { FetchRefused } from "./fetch-refused.ts";
import type { Outgoing } from "./outgoing.ts";

/** As much of an answer as a redirect needs; of whichever fetch. */
export interface Answer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: { cancel(): Promise<void> } | null;
}

export const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Headers that hold no secret and mean the same everywhere. Every other stays with the origin it was meant for. */
const HARMLESS = new Set([
  "accept",
  "accept-language",
  "content-language",
  "content-type",
  "mcp-protocol-version",
  "user-agent",
]);
const OF_BODY = [
  "content-encoding",
  "content-language",
  "content-length",
  "content-location",
  "content-type",
];

/**
 * Sends `first` and goes where redirects point, as `first.redirect` says. `send` checks each URL. Secrets stay
 * with the origin they were sent to: headers and the client certificate are left behind, and a body that would have
 * to be repeated elsewhere refuses.
 */
export async function followRedirects<A extends Answer>(
  first: Outgoing,
  send: (request: Outgoing) => Promise<A>,
): Promise<{ readonly answer: A; readonly request: Outgoing }> {
  let request = first;
  for (let redirects = 0; ; redirects++) {
    const answer = await send(request);
    const location = REDIRECTS.has(answer.status) ? answer.headers.get("location") : null;
    if (location === null || first.redirect === "manual") return { answer, request };
    await answer.body?.cancel();
    if (first.redirect === "error")
      throw new FetchRefused(`${request.url.origin} redirects, which was not asked for`);
    if (redirects >= MAX_REDIRECTS)
      throw new FetchRefused(`${first.url.origin} redirects more than ${MAX_REDIRECTS} times`);
    request = redirected(request, answer.status, location);
  }
}

function redirected(from: Outgoing, status: number, location: string): Outgoing {
  const url = URL.canParse(location, from.url.href) ? new URL(location, from.url) : undefined;
  if (url === undefined) throw new FetchRefused(`${from.url.origin} redirects to what is not a URL`);
  const way = `${from.url.origin} redirects to ${url.origin}`;
  if (from.url.protocol === "https:" && url.protocol === "http:")
    throw new FetchRefused(
      `${way}, from https to http, which is not followed: ask for an https address there`,
    );

  const { method, headers, body } = changesToGet(from.method, status)
    ? { method: "GET", headers: without(from.headers, OF_BODY), body: null }
    : from;
  if (body instanceof ReadableStream)
    throw new FetchRefused(`${way}, but the body of the request was a stream and cannot be sent again`);
  if (url.origin === from.url.origin) return { ...from, url, method, headers, body };
  if (body !== null)
    throw new FetchRefused(
      `${way}, but the body of the request may hold secrets and is sent nowhere else: if that is right, use that address`,
    );
  return { ...from, url, method, headers: harmless(headers), body, isIdentified: false };
}

function changesToGet(method: string, status: number): boolean {
  const was = method.toUpperCase();
  if (status === 303) return was !== "GET" && was !== "HEAD";
  return was === "POST" && (status === 301 || status === 302);
}

function without(headers: Headers, names: readonly string[]): Headers {
  const kept = new Headers(headers);
  for (const name of names) kept.delete(name);
  return kept;
}

function harmless(headers: Headers): Headers {
  return new Headers([...headers].filter(([name]) => HARMLESS.has(name)));
}
