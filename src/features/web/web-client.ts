import { failed } from "../../contract/define-native-tool.ts";
import { messageOf } from "../../contract/errors.ts";
import type { ToolResult } from "../../contract/tool.ts";
import { FetchRefused, type Reach } from "../../lib/net/reach.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { Settings } from "../../machine/config/settings.ts";
import { createGuardedFetch, type GuardedFetch } from "../../machine/net/guarded-fetch.ts";

/** How names are looked up; absent: as this machine does. */
export type Network = Pick<Reach, "resolve" | "interfaces">;

export interface WebClientOptions {
  readonly trustedHosts: () => ReadonlySet<string>;
  /** Absent or empty: every port that a browser would ask. */
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
  /** In the place of the settings' own, where it is less. */
  readonly timeoutMs?: number;
}

export interface WebAnswer {
  /** Where it came from in the end. */
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** There was more than may be read. */
  readonly isCut: boolean;
}

/** Asks the public web, and what people allowed; nothing else is reached. */
export interface WebClient {
  /** The error is what the tool answers. Rejects only when `signal` aborts. */
  ask(request: WebRequest, signal: AbortSignal): Promise<Result<WebAnswer, ToolResult>>;
  close(): Promise<void>;
}

export const WEB_SETTING = "web.allowed_hosts";
export const PORTS_SETTING = "web.allowed_ports";
/** The body is cut where the settings say; this only keeps the fetch below from ending it in an error. */
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
    async ask(request, signal) {
      const { timeoutMs, maxBytes } = limits();
      const patience = Math.min(request.timeoutMs ?? timeoutMs, timeoutMs);
      const timeout = AbortSignal.timeout(patience);
      try {
        return ok(await send(open(), request, AbortSignal.any([signal, timeout]), maxBytes));
      } catch (thrown) {
        signal.throwIfAborted();
        if (timeout.aborted) return err(tooSlow(request.url, patience));
        return err(failed(explain(thrown, request.url)));
      }
    },
    close: async () => guarded?.close(),
  };
}

async function send(
  fetch: GuardedFetch["fetch"],
  { url, method = "GET", headers = {}, body, redirect = "follow" }: WebRequest,
  signal: AbortSignal,
  maxBytes: number,
): Promise<WebAnswer> {
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

async function readAtMost(response: Response, maxBytes: number): Promise<Pick<WebAnswer, "bytes" | "isCut">> {
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

function tooSlow({ host }: URL, ms: number): ToolResult {
  return {
    kind: "timed_out",
    message: `${host} did not answer within ${ms / 1_000} s. Try again later, or another address.`,
  };
}

/** What is thrown names the host already, except where the way to it broke. */
function explain(thrown: unknown, { host }: URL): string {
  if (thrown instanceof FetchRefused) return sentence(thrown.message);
  const cause = thrown instanceof TypeError && thrown.cause !== undefined ? thrown.cause : thrown;
  const { code } = cause as NodeJS.ErrnoException;
  const reason = (code && REASONS[code]) ?? messageOf(cause);
  return `${host} could not be reached: ${sentence(reason)}`;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: "there is no host of this name. Check the address",
  EAI_AGAIN: "its name could not be looked up just now. Try again later",
  ECONNREFUSED: "nothing answers at this port. Check the address",
  ECONNRESET: "the connection was broken off. Try again later",
  EHOSTUNREACH: "there is no way to it from here",
  ENETUNREACH: "there is no way to it from here",
  UND_ERR_CONNECT_TIMEOUT: "connecting took too long. Try again later",
  UND_ERR_SOCKET: "the connection was broken off. Try again later",
  CERT_HAS_EXPIRED: "its certificate has expired, so nobody knows who answers there",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed, so nobody knows who answers there",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is self-signed, so nobody knows who answers there",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate cannot be verified, so nobody knows who answers there",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
};

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
