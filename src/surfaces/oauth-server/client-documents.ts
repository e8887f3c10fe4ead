import { messageOf } from "../../contract/errors.ts";
import { BoundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
import { isRecord } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { type OAuthClient, readClientMetadata } from "./client.ts";

/** The largest document that is read. The draft suggests 5 kB. */
export const MAX_DOCUMENT_BYTES = 16_384;
const FETCH_MS = 5_000;
const MAX_URL_LENGTH = 500;
const MAX_CACHED = 200;
const MIN_CACHE_MS = 60_000;
const MAX_CACHE_MS = 24 * 3_600_000;
const DEFAULT_CACHE_MS = 600_000;

export interface ClientDocumentsDeps {
  /** Must be guarded and limited to `MAX_DOCUMENT_BYTES`, because strangers name the address. */
  readonly fetch: typeof fetch;
  readonly clock: Clock;
}

/** Clients whose id is the URL of a document that describes them (client-id metadata documents). */
export class ClientDocuments {
  readonly #deps: ClientDocumentsDeps;
  readonly #cache = new BoundedMap<string, { readonly client: OAuthClient; readonly until: number }>(
    MAX_CACHED,
  );

  constructor(deps: ClientDocumentsDeps) {
    this.#deps = deps;
  }

  /** The error is a sentence for the person at the consent page. */
  async get(id: string, signal: AbortSignal): Promise<Result<OAuthClient, string>> {
    const cached = this.#cache.get(id);
    if (cached && cached.until > this.#deps.clock()) return ok(cached.client);
    this.#cache.delete(id);
    const problem = findIdProblem(id);
    if (problem !== undefined) return err(`the client's id ${problem}`);
    try {
      return await this.#fetch(id, AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]));
    } catch (error) {
      return err(`the document at ${new URL(id).host} could not be read: ${messageOf(error)}`);
    }
  }

  async #fetch(id: string, signal: AbortSignal): Promise<Result<OAuthClient, string>> {
    const { host } = new URL(id);
    // Refuses redirects: a person who controls one on that host must not become the client.
    const response = await this.#deps.fetch(id, {
      headers: { accept: "application/json" },
      redirect: "error",
      signal,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      return err(`${host} answered with status ${response.status} instead of the client's document`);
    }
    const document = parseJson(await response.text());
    if (!isRecord(document)) return err(`the answer of ${host} is not a JSON object`);
    if (document.client_id !== id)
      return err(`the document at ${host} describes another client than the one that asks`);
    if ("client_secret" in document) return err(`the document at ${host} has a client_secret in it`);
    const metadata = readClientMetadata(document, host);
    if (!metadata.ok) return err(`the document at ${host} cannot be used: ${metadata.error.message}`);
    const client: OAuthClient = { id, host, ...metadata.value };
    const cacheMs = readCacheMs(response.headers.get("cache-control"));
    if (cacheMs > 0) this.#cache.set(id, { client, until: this.#deps.clock() + cacheMs });
    return ok(client);
  }
}

/** Whether an id is meant to be a URL at all. */
export function isDocumentId(id: string): boolean {
  return /^https?:/i.test(id);
}

/** Applies the rules of the draft, including that an id has only one spelling. */
function findIdProblem(id: string): string | undefined {
  if (id.length > MAX_URL_LENGTH) return `has more than ${MAX_URL_LENGTH} characters`;
  if (!URL.canParse(id)) return "is not a URL";
  const url = new URL(id);
  if (url.protocol !== "https:") return "has to begin with https://";
  if (url.username !== "" || url.password !== "") return "has a user name or password in it";
  if (id.includes("#")) return "has a fragment";
  if (url.pathname === "/") return "has no path";
  return url.href === id ? undefined : `is not spelt as ${url.href}`;
}

function readCacheMs(cacheControl: string | null): number {
  const directives = cacheControl?.toLowerCase() ?? "";
  if (/\bno-(?:store|cache)\b/.test(directives)) return 0;
  const maxAge = /\bmax-age=(\d{1,9})\b/.exec(directives)?.[1];
  if (maxAge === undefined) return DEFAULT_CACHE_MS;
  return Math.min(Math.max(Number(maxAge) * 1000, MIN_CACHE_MS), MAX_CACHE_MS);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
