import { failed } from "../../contract/define-native-tool.ts";
import { messageOf } from "../../contract/errors.ts";
import type { ToolResult } from "../../contract/tool.ts";
import { FetchRefused, type Reach } from "../../lib/net/reach.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { Settings } from "../../machine/config/settings.ts";
import { createGuardedFetch, type GuardedFetch } from "../../machine/net/guarded-fetch.ts";

/** How to resolve names; by default as this machine does. */
export type Network = Pick<Reach, "resolve" | "interfaces">;

export interface WebClientOptions {
  readonly trustedHosts: () => ReadonlySet<string>;
  /** Absent or empty: every port that browsers allow. */
  readonly allowedPorts?: () => readonly number[];
  readonly limits: () => Pick<Settings["web"], "timeoutMs" | "maxBytes">;
  readonly network?: Network | undefined;
}

export interface WebRequest {
  readonly url: URL;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly redirect?: "follow" | "manual";
  /** Replaces the limit in the settings if it is shorter. */
  readonly timeoutMs?: number;
}

export interface WebResponse {
  /** The final address after redirects. */
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** Whether the body was longer than the limit. */
  readonly isCut: boolean;
}

/** Sends requests to the public web and to hosts that people allowed, and to nothing else. */
export interface WebClient {
  /** The error is the tool's result. Rejects only if `signal` aborts. */
  send(request: WebRequest, signal: AbortSignal): Promise<Result<WebResponse, ToolResult>>;
  close(): Promise<void>;
}

export const WEB_SETTING = "web.allowed_hosts";
export const PORTS_SETTING = "web.allowed_ports";
/** This client cuts the body itself; the guarded fetch must not fail at a limit. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

export function createWebClient(options: WebClientOptions): WebClient {
  const { trustedHosts, allowedPorts = () => [], limits, network } = options;
  const ports = () => ({ allowed: allowedPorts(), setting: PORTS_SETTING });
  let guarded: GuardedFetch | undefined;
  const open = () => {
    guarded ??= createGuardedFetch({
      ...{ trustedHosts, ports, setting: WEB_SETTING, maxBytes: NO_LIMIT },
      ...network,
    });
    return guarded.fetch;
  };
  return {
    async send(request, signal) {
      const { timeoutMs, maxBytes } = limits();
      const limitMs = Math.min(request.timeoutMs ?? timeoutMs, timeoutMs);
      const timeout = AbortSignal.timeout(limitMs);
      try {
        return ok(await sendRequest(open(), request, AbortSignal.any([signal, timeout]), maxBytes));
      } catch (thrown) {
        signal.throwIfAborted();
        if (timeout.aborted) return err(createTimeout(request.url, limitMs));
        return err(failed(explainFailure(thrown, request.url)));
      }
    },
    close: async () => guarded?.close(),
  };
}

async function sendRequest(
  fetch: GuardedFetch["fetch"],
  { url, method = "GET", headers = {}, body, redirect = "follow" }: WebRequest,
  signal: AbortSignal,
  maxBytes: number,
): Promise<WebResponse> {
  const response = await fetch(url, {
    method,
    headers,
    redirect,
    signal,
    ...(body !== undefined && { body }),
  });
  const read = await readAtMost(response, maxBytes);
  return {
    url: response.url,
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
    contentType: response.headers.get("content-type") ?? "",
    ...read,
  };
}

async function readAtMost(
  response: Response,
  maxBytes: number,
): Promise<Pick<WebResponse, "bytes" | "isCut">> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break; // leaving the loop cancels the body
  }
  const whole = Buffer.concat(chunks);
  return { bytes: whole.subarray(0, maxBytes), isCut: size > maxBytes };
}

function createTimeout({ host }: URL, ms: number): ToolResult {
  return {
    kind: "timed_out",
    message: `${host} did not answer within ${ms / 1_000} s. Try again later, or another address.`,
  };
}

/** Refusals already name the host; connection errors do not. */
function explainFailure(thrown: unknown, { host }: URL): string {
  if (thrown instanceof FetchRefused) return endSentence(thrown.message);
  const cause = thrown instanceof TypeError && thrown.cause !== undefined ? thrown.cause : thrown;
  const { code } = cause as NodeJS.ErrnoException;
  const reason = (code && REASONS[code]) ?? messageOf(cause);
  return `${host} could not be reached: ${endSentence(reason)}`;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: "the host name does not exist. Check the address",
  EAI_AGAIN: "its name could not be resolved. Try again later",
  ECONNREFUSED: "nothing listens on this port. Check the address",
  ECONNRESET: "the connection was lost. Try again later",
  EHOSTUNREACH: "it is not reachable from here",
  ENETUNREACH: "it is not reachable from here",
  UND_ERR_CONNECT_TIMEOUT: "connecting took too long. Try again later",
  UND_ERR_SOCKET: "the connection was lost. Try again later",
  CERT_HAS_EXPIRED: "its certificate has expired, so its identity is unproven",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed, so its identity is unproven",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is self-signed, so its identity is unproven",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate cannot be verified, so its identity is unproven",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
};

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
