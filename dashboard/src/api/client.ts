import { BASE } from "../app/base.ts";
import type { ApiFailure, SessionAnswer } from "./contract.ts";
import { Problem, unreachableProblem } from "./problem.ts";

export type Params = Readonly<Record<string, string | number | boolean | undefined>>;

interface RequestParts {
  readonly body?: unknown;
  readonly params?: Params | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The client for `/api`. Methods throw a `Problem` or the abort reason of their signal, and nothing else. */
export class Client {
  readonly #onSignedOut: () => void;
  #session: Promise<SessionAnswer> | undefined;

  constructor(onSignedOut: () => void) {
    this.#onSignedOut = onSignedOut;
  }

  /** The session of the person who is signed in. Requested once, then kept. */
  session(): Promise<SessionAnswer> {
    this.#session ??= this.get<SessionAnswer>("/session").catch((error: unknown) => {
      this.#session = undefined;
      throw error;
    });
    return this.#session;
  }

  /** Makes the next `session()` ask the daemon again, because the role may have changed. */
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

  /** Reads an NDJSON response and yields each value as it arrives. */
  async *streamLines<T>(path: string, body: unknown, signal: AbortSignal): AsyncGenerator<T> {
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

  async #json<T>(method: string, path: string, sent: RequestParts): Promise<T> {
    const response = await this.#send(method, path, sent);
    return (await response.json()) as T;
  }

  /** Sends a change again, once, when its CSRF token belongs to a session that has ended. */
  async #send(method: string, path: string, sent: RequestParts): Promise<Response> {
    if (method === "GET") return this.#sendOnce(method, path, sent, {});
    const before = await this.session();
    const sendWithToken = ({ csrfToken }: SessionAnswer) =>
      this.#sendOnce(method, path, sent, { "x-toolkeep": csrfToken ?? "" });
    try {
      return await sendWithToken(before);
    } catch (problem) {
      if (!(problem instanceof Problem) || problem.status !== 403) throw problem;
      if (this.#session && (await this.#session) === before) this.forgetSession();
      const now = await this.session();
      if (now.csrfToken === before.csrfToken) throw problem;
      // Another person is signed in now, and must not see this page.
      if (now.name !== before.name) {
        location.reload();
        return waitForReload();
      }
      return sendWithToken(now);
    }
  }

  async #sendOnce(
    method: string,
    path: string,
    { body, params, signal }: RequestParts,
    extra: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const headers: Record<string, string> = { accept: "application/json", ...extra };
    if (body !== undefined) headers["content-type"] = "application/json";
    const init: RequestInit = { method, headers, credentials: "same-origin" };
    if (body !== undefined) init.body = JSON.stringify(body);
    if (signal) init.signal = signal;

    const response = await fetch(`${BASE}/api${path}${toQueryString(params)}`, init).catch(
      (error: unknown) => {
        if (signal?.aborted) throw error;
        throw unreachableProblem();
      },
    );
    if (response.ok) return response;
    const problem = await readProblem(response);
    if (problem.status === 401) this.#onSignedOut();
    throw problem;
  }
}

/** Never resolves: the page is about to reload. */
function waitForReload(): Promise<never> {
  return new Promise(() => {});
}

/** Joins and encodes path segments: `joinPath("servers", name)` is `/servers/NAME`. */
export function joinPath(...parts: readonly string[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join("");
}

function toQueryString(params: Params | undefined): string {
  const present = Object.entries(params ?? {}).filter(([, value]) => value !== undefined && value !== "");
  if (present.length === 0) return "";
  return `?${new URLSearchParams(present.map(([key, value]) => [key, String(value)]))}`;
}

async function readProblem(response: Response): Promise<Problem> {
  try {
    const { error } = (await response.json()) as ApiFailure;
    return new Problem(error, response.status);
  } catch {
    const message = `Toolkeep answered ${response.status} ${response.statusText}`;
    return new Problem(
      { code: "INTERNAL", message, remedy: "See the daemon's log for details." },
      response.status,
    );
  }
}
