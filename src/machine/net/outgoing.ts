/** One request as it goes out, whichever way `fetch` was called. */
export interface Outgoing {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  /** What can be sent again, or a stream, which cannot. */
  readonly body: string | Uint8Array | URLSearchParams | Blob | ArrayBuffer | ReadableStream | null;
  readonly signal: AbortSignal | null;
  readonly redirect: NonNullable<RequestInit["redirect"]>;
  /** Whether it may be sent with a client certificate. */
  readonly isIdentified: boolean;
}

/** Throws the TypeError that `fetch` throws for a URL or header that is none. */
export async function outgoingOf(input: string | URL | Request, init: RequestInit = {}): Promise<Outgoing> {
  const request = input instanceof Request ? input : undefined;
  const headers = new Headers(init.headers ?? request?.headers);
  if (!headers.has("user-agent")) headers.set("user-agent", "toolkeep");
  const given = init.body ?? request?.body ?? null;
  return {
    url: new URL(request ? request.url : String(input)),
    method: init.method ?? request?.method ?? "GET",
    headers,
    body: given instanceof FormData ? await encoded(given, headers) : (given as Outgoing["body"]),
    signal: init.signal ?? request?.signal ?? null,
    redirect: init.redirect ?? request?.redirect ?? "follow",
    isIdentified: true,
  };
}

/** The form of the built-in fetch is a stranger to undici's; its bytes are not. */
async function encoded(form: FormData, headers: Headers): Promise<ArrayBuffer> {
  const carrier = new Response(form);
  if (!headers.has("content-type")) headers.set("content-type", carrier.headers.get("content-type")!);
  return carrier.arrayBuffer();
}
