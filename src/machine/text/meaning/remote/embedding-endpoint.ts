import { messageOf } from "../../../../contract/errors.ts";
import { FetchRefused } from "../../../../lib/net/reach.ts";
import { err, ok, type Result } from "../../../../lib/result.ts";
import { createGuardedFetch, type GuardedFetch } from "../../../net/guarded-fetch.ts";
import { directionOf } from "../direction.ts";
import { MAX_DIMENSIONS, type Vector } from "../embedder.ts";
import { type EndpointKind, type EndpointShape, SHAPES } from "./endpoint-shapes.ts";

export interface EmbeddingEndpointOptions {
  readonly kind: EndpointKind;
  /** Null: the default address of this kind of endpoint. */
  readonly url: string | null;
  readonly model: string;
  /** How many numbers a vector shall have; null: as many as the model gives. */
  readonly dimensions: number | null;
  /** Called for every request; null if it needs no key. The error is a sentence without the key. */
  readonly key: () => Promise<Result<string | null, string>>;
}

/** Why there are no vectors. `reason` never holds the key, nor anything that the endpoint wrote. */
export interface EndpointFailure {
  readonly reason: string;
  /** Asking for the same once more would not help. */
  readonly isFinal?: true;
  /** Shorter texts might. */
  readonly isTooLong?: true;
  /** It asked for that much time. */
  readonly afterMs?: number;
}

/** The limit for one answer: far more than a few texts need. */
const MAX_BYTES = 8 * 1024 * 1024;
const CONNECT_MS = 10_000;
/** The characters that a header accepts. */
const SENDABLE = /^[\x21-\x7e]+$/;
const TOO_LONG = new Set([400, 413, 422]);
const PASSING = new Set([408, 409, 425, 429]);

/**
 * An address that people named in the settings, wherever it is; redirects are not followed, since they did not name where those lead. Its answers
 * are as hostile as any.
 */
export class EmbeddingEndpoint {
  readonly #options: EmbeddingEndpointOptions;
  readonly #shape: EndpointShape;
  readonly #url: URL;
  readonly #guarded: GuardedFetch;

  constructor(options: EmbeddingEndpointOptions) {
    this.#options = options;
    this.#shape = SHAPES[options.kind];
    this.#url = new URL(options.url ?? this.#shape.url);
    this.#url.pathname = this.#url.pathname.replace(/\/+$/, "") + this.#shape.path;
    const trusted = new Set([this.#url.hostname]);
    this.#guarded = createGuardedFetch({
      trustedHosts: () => trusted,
      setting: "embeddings.url",
      maxBytes: MAX_BYTES,
      connectTimeoutMs: CONNECT_MS,
    });
  }

  /** A vector for each text, in their order, all of the same length. Never rejects. */
  async ask(
    texts: readonly string[],
    limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<Result<readonly Vector[], EndpointFailure>> {
    const timeout = AbortSignal.timeout(limits.timeoutMs);
    try {
      const key = await this.#key();
      if (!key.ok) return err({ reason: key.error, isFinal: true });
      const signal = AbortSignal.any([limits.signal, timeout]);
      const response = await this.#guarded.fetch(this.#url, this.#request(texts, key.value, signal));
      if (!response.ok) return err(await this.#refused(response));
      return this.#read(await response.text(), texts.length);
    } catch (error) {
      const why = timeout.aborted ? `did not answer within ${limits.timeoutMs / 1000} s` : causeOf(error);
      return err({ reason: this.#said(why) });
    }
  }

  close(): Promise<void> {
    return this.#guarded.close();
  }

  async #key(): Promise<Result<string | null, string>> {
    const key = await this.#options.key();
    const isSendable = !key.ok || key.value === null || SENDABLE.test(key.value);
    return isSendable ? key : err("the key of embeddings.api_key has characters that cannot be sent");
  }

  #request(texts: readonly string[], key: string | null, signal: AbortSignal): RequestInit {
    const { model, dimensions } = this.#options;
    return {
      method: "POST",
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        ...(key !== null && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, input: texts, ...(dimensions !== null && { dimensions }) }),
      redirect: "error",
      signal,
    };
  }

  async #refused(response: Response): Promise<EndpointFailure> {
    const { status } = response;
    await response.body?.cancel();
    const reason = this.#said(`answered ${status}${hintFor(status)}`);
    if (TOO_LONG.has(status)) return { reason, isTooLong: true };
    if (status < 500 && !PASSING.has(status)) return { reason, isFinal: true };
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    return { reason, ...(seconds >= 0 && { afterMs: seconds * 1000 }) };
  }

  #read(body: string, count: number): Result<readonly Vector[], EndpointFailure> {
    const lists = this.#shape.vectors(parsed(body));
    if (!lists) return err({ reason: this.#said("did not answer with embeddings") });
    if (lists.length !== count)
      return err({ reason: this.#said(`gave ${lists.length} vectors for ${count} texts`) });
    const vectors: Vector[] = [];
    for (const list of lists) {
      const vector = vectorOf(list);
      if (!vector)
        return err({
          reason: this.#said(`gave what is no vector of at most ${MAX_DIMENSIONS} numbers`),
        });
      if (vector.length !== (this.#options.dimensions ?? vectors[0]?.length ?? vector.length))
        return err({
          reason: this.#said(`gave vectors of ${vector.length} dimensions, others were expected`),
        });
      vectors.push(vector);
    }
    return ok(vectors);
  }

  #said(what: string): string {
    return `${this.#url.host} ${what}`;
  }
}

function vectorOf(list: unknown): Vector | undefined {
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_DIMENSIONS) return undefined;
  const values = new Float32Array(list.length);
  for (const [at, value] of list.entries()) {
    if (typeof value !== "number" || !Number.isFinite(Math.fround(value))) return undefined;
    values[at] = value;
  }
  return directionOf(values);
}

function hintFor(status: number): string {
  if (status === 401 || status === 403) return ": it does not accept the key; check embeddings.api_key";
  if (status === 404) return ": it has no such model or address; check embeddings.model and embeddings.url";
  return status === 429 ? ": it takes no more for now" : "";
}

/** Errors of the request itself may quote its headers, so only the underlying cause is reported. */
function causeOf(error: unknown): string {
  if (error instanceof FetchRefused) return `was not asked: ${error.message}`;
  if (error instanceof TypeError)
    return error.cause === undefined ? "could not be asked" : `cannot be reached: ${messageOf(error.cause)}`;
  return `broke off: ${messageOf(error)}`;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
