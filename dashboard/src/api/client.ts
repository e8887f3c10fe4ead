import { BASE } from "../app/base.ts";
import type { ApiFailure, SessionAnswer } from "./contract.ts";
import { lost, Problem } from "./problem.ts";

export type Params = Readonly<Record<string, string | number | boolean | undefined>>;

interface Sent {
  readonly body?: unknown;
  readonly params?: Params | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Speaks to `/api`. Every method throws a `Problem` and nothing else, besides the signal's own reason. */
export class Client {
  readonly #onSignedOut: () => void;
  #session: Promise<SessionAnswer> | undefined;

  constructor(onSignedOut: () => void) {
    this.#onSignedOut = onSignedOut;
  }

  /** Who is signed in, asked once. */
  session(): Promise<SessionAnswer> {
    this.#session ??= this.get<SessionAnswer>("/session").catch((error: unknown) => {
      this.#session = undefined;
      throw error;
    });
    return this.#session;
  }

  /** Asked anew the next time: a role may have changed. */
  forgetSession(): void {
    this.#session = undefined;
  }

  get<T>(path: string, params?: Params, signal?: AbortSignal): Promise<T> {
    return this.#json("GET", path, { params, signal });
  }

  post<T>(path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    return this.#json("POST", path, { body, signal });
  }

  put<T>(path: string, body?: unknown): Promise<T> {
    return this.#json("PUT", path, { body });
  }

  patch<T>(path: string, body?: unknown): Promise<T> {
    return this.#json("PATCH", path, { body });
  }

  delete<T>(path: string, params?: Params): Promise<T> {
    return this.#json("DELETE", path, { params });
  }

  /** Reads an answer of one JSON value a line, each as it comes. */
  async *lines<T>(path: string, body: unknown, signal: AbortSignal): AsyncGenerator<T> {
    const response = await this.#send("POST", path, { body, signal });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const parts = (rest + value).split("\n");
      rest = parts.pop()!;
      for (const part of parts) if (part !== "") yield JSON.parse(part) as T;
    }
    if (rest !== "") yield JSON.parse(rest) as T;
  }

  async #json<T>(method: string, path: string, sent: Sent): Promise<T> {
    const response = await this.#send(method, path, sent);
    return (await response.json()) as T;
  }

  /** A change that was sent with the token of a session that is over is sent once more with that of the session that is. */
  async #send(method: string, path: string, sent: Sent): Promise<Response> {
    if (method === "GET") return this.#sendOnce(method, path, sent, {});
    const before = await this.session();
    const withToken = ({ csrfToken }: SessionAnswer) =>
      this.#sendOnce(method, path, sent, { "x-toolkeep": csrfToken ?? "" });
    try {
      return await withToken(before);
    } catch (problem) {
      if (!(problem instanceof Problem) || problem.status !== 403) throw problem;
      if (this.#session && (await this.#session) === before) this.forgetSession();
      const now = await this.session();
      if (now.csrfToken === before.csrfToken) throw problem;
      // Somebody else is signed in now: what is on screen is not theirs.
      if (now.name !== before.name) {
        location.reload();
        return never();
      }
      return withToken(now);
    }
  }

  async #sendOnce(
    method: string,
    path: string,
    { body, params, signal }: Sent,
    extra: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const headers: Record<string, string> = { accept: "application/json", ...extra };
    if (body !== undefined) headers["content-type"] = "application/json";
    const init: RequestInit = { method, headers, credentials: "same-origin" };
    if (body !== undefined) init.body = JSON.stringify(body);
    if (signal) init.signal = signal;

    const response = await fetch(`${BASE}/api${path}${queryOf(params)}`, init).catch((error: unknown) => {
      if (signal?.aborted) throw error;
      throw lost();
    });
    if (response.ok) return response;
    const problem = await problemIn(response);
    if (problem.status === 401) this.#onSignedOut();
    throw problem;
  }
}

/** The page is about to go. */
function never(): Promise<never> {
  return new Promise(() => {});
}

/** `/servers` and the name of one, as a path. */
export function pathOf(...parts: readonly string[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join("");
}

function queryOf(params: Params | undefined): string {
  const given = Object.entries(params ?? {}).filter(([, value]) => value !== undefined && value !== "");
  if (given.length === 0) return "";
  return `?${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}`;
}

async function problemIn(response: Response): Promise<Problem> {
  try {
    const { error } = (await response.json()) as ApiFailure;
    return new Problem(error, response.status);
  } catch {
    const message = `Toolkeep answered ${response.status} ${response.statusText}`;
    return new Problem({ code: "INTERNAL", message, remedy: "Its log says more." }, response.status);
  }
}
