import { messageOf } from "../../contract/errors.ts";
import { BoundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
import { isRecord } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { type OAuthClient, readClientMetadata } from "./client.ts";

/** The largest document that is read. The draft speaks of 5 kB. */
export const MAX_DOCUMENT_BYTES = 16_384;
const FETCH_MS = 5_000;
const MAX_URL_LENGTH = 500;
const MAX_KEPT = 200;
const MIN_KEPT_MS = 60_000;
const MAX_KEPT_MS = 24 * 3_600_000;
const DEFAULT_KEPT_MS = 600_000;

export interface ClientDocumentsDeps {
  /** A guarded one that reads no more than `MAX_DOCUMENT_BYTES`: strangers name the address. */
  readonly fetch: typeof fetch;
  readonly clock: Clock;
}

/** Clients whose id is the address of the document that describes them (client-id metadata documents). */
export class ClientDocuments {
  readonly #deps: ClientDocumentsDeps;
  readonly #kept = new BoundedMap<string, { readonly client: OAuthClient; readonly until: number }>(MAX_KEPT);

  constructor(deps: ClientDocumentsDeps) {
    this.#deps = deps;
  }

  /** The error is a sentence for the person at the consent page. */
  async get(id: string, signal: AbortSignal): Promise<Result<OAuthClient, string>> {
    const kept = this.#kept.get(id);
    if (kept && kept.until > this.#deps.clock()) return ok(kept.client);
    this.#kept.delete(id);
    const problem = idProblem(id);
    if (problem !== undefined) return err(`the client's id ${problem}`);
    try {
      return await this.#fetch(id, AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]));
    } catch (error) {
      return err(`the document at ${new URL(id).host} could not be read: ${messageOf(error)}`);
    }
  }

  async #fetch(id: string, signal: AbortSignal): Promise<Result<OAuthClient, string>> {
    const { host } = new URL(id);
    // Whoever may redirect on that host must not become the client.
    const response = await this.#deps.fetch(id, {
      headers: { accept: "application/json" },
      redirect: "error",
      signal,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      return err(`${host} answered with status ${response.status} instead of the client's document`);
    }
    const document = parsed(await response.text());
    if (!isRecord(document)) return err(`what ${host} answered is no JSON object`);
    if (document.client_id !== id)
      return err(`the document at ${host} describes another client than the one that asks`);
    if ("client_secret" in document) return err(`the document at ${host} has a client_secret in it`);
    const metadata = readClientMetadata(document, host);
    if (!metadata.ok) return err(`the document at ${host} cannot be used: ${metadata.error.message}`);
    const client: OAuthClient = { id, host, ...metadata.value };
    const forMs = keepMs(response.headers.get("cache-control"));
    if (forMs > 0) this.#kept.set(id, { client, until: this.#deps.clock() + forMs });
    return ok(client);
  }
}

/** Whether an id is meant to be an address at all. */
export function isDocumentId(id: string): boolean {
  return /^https?:/i.test(id);
}

/** The rules of the draft; among them that there is one spelling only. */
function idProblem(id: string): string | undefined {
  if (id.length > MAX_URL_LENGTH) return `has more than ${MAX_URL_LENGTH} characters`;
  if (!URL.canParse(id)) return "is no URL";
  const url = new URL(id);
  if (url.protocol !== "https:") return "has to begin with https://";
  if (url.username !== "" || url.password !== "") return "has a user name or password in it";
  if (id.includes("#")) return "has a fragment";
  if (url.pathname === "/") return "has no path";
  return url.href === id ? undefined : `is not spelt as ${url.href}`;
}

function keepMs(cacheControl: string | null): number {
  const said = cacheControl?.toLowerCase() ?? "";
  if (/\bno-(?:store|cache)\b/.test(said)) return 0;
  const maxAge = /\bmax-age=(\d{1,9})\b/.exec(said)?.[1];
  if (maxAge === undefined) return DEFAULT_KEPT_MS;
  return Math.min(Math.max(Number(maxAge) * 1000, MIN_KEPT_MS), MAX_KEPT_MS);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
