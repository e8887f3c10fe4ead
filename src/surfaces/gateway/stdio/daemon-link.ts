import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";
import { isRecord } from "../../../lib/json.ts";
import { eventData } from "../../../lib/sse.ts";
import { META, NAME_FIELDS, RELAY_HEADER } from "../messages.ts";

/** A JSON-RPC message, or a batch of them (2025-03-26), as received. */
export type Message = Readonly<Record<string, unknown>> | readonly unknown[];

export interface LinkTarget {
  /** The URL of `/mcp`. */
  readonly url: string;
  readonly token: string;
}

/** An answer whose status says that the message was refused. */
export class RefusedError extends Error {
  readonly status: number;
  /** The JSON-RPC error of its body, if there was one. */
  readonly rpcError: Readonly<Record<string, unknown>> | undefined;

  constructor(status: number, body: string) {
    const rpcError = parseError(body);
    super(
      typeof rpcError?.message === "string"
        ? rpcError.message
        : `the daemon answered with HTTP status ${status}`,
    );
    this.status = status;
    this.rpcError = rpcError;
  }
}

/**
 * Speaks to a daemon's `/mcp` for one client. Uses `node:http`, because `fetch` gives up on an answer after five minutes
 * and a call may take ten.
 */
export class DaemonLink {
  readonly #url: URL;
  readonly #token: string;
  readonly #client: typeof http | typeof https;
  readonly #agent: http.Agent;
  /** Set by `initialize`; sent with every later message of the session. */
  #session: Readonly<Record<string, string>> = {};

  constructor(target: LinkTarget) {
    this.#url = new URL(target.url);
    this.#token = target.token;
    this.#client = this.#url.protocol === "https:" ? https : http;
    this.#agent = new this.#client.Agent({ keepAlive: true });
  }

  get sessionId(): string | undefined {
    return this.#session["mcp-session-id"];
  }

  /** Resolves with the answers as soon as the daemon has accepted the message. Throws RefusedError. */
  async post(message: Message, signal: AbortSignal): Promise<AsyncIterable<Message>> {
    const headers = {
      ...this.#session,
      ...buildModernHeaders(message),
      accept: "application/json, text/event-stream",
    };
    const response = await this.#send("POST", headers, JSON.stringify(message), signal);
    if (isInitialize(message)) this.#session = readSessionHeaders(response);
    return this.#trackVersion(readMessages(response), isInitialize(message));
  }

  /** The messages that the daemon sends unasked in a session. Throws RefusedError. */
  async listen(signal: AbortSignal): Promise<AsyncIterable<Message>> {
    return readMessages(
      await this.#send("GET", { ...this.#session, accept: "text/event-stream" }, undefined, signal),
    );
  }

  /** Ends the session, if there is one, and every connection. */
  async close(signal: AbortSignal): Promise<void> {
    try {
      if (this.sessionId) (await this.#send("DELETE", this.#session, undefined, signal)).resume();
    } finally {
      this.#agent.destroy();
    }
  }

  async #send(
    method: string,
    headers: Record<string, string>,
    body: string | undefined,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = this.#client.request(this.#url, {
        method,
        agent: this.#agent,
        signal,
        headers: {
          ...headers,
          // The daemon's settings decide what clients on stdio may do.
          [RELAY_HEADER]: "stdio",
          authorization: `Bearer ${this.#token}`,
          ...(body !== undefined && {
            "content-type": "application/json",
            "content-length": Buffer.byteLength(body),
          }),
        },
      });
      request.once("response", resolve).once("error", reject).end(body);
    });
    if ((response.statusCode ?? 0) < 300) return response;
    throw new RefusedError(response.statusCode ?? 0, await text(response));
  }

  /** Later messages of a session must name the version that its `initialize` negotiated. */
  async *#trackVersion(messages: AsyncIterable<Message>, isInitializing: boolean): AsyncGenerator<Message> {
    for await (const message of messages) {
      const version =
        isInitializing && "result" in message && isRecord(message.result) && message.result.protocolVersion;
      if (typeof version === "string") this.#session = { ...this.#session, "mcp-protocol-version": version };
      yield message;
    }
  }
}

export function isInitialize(message: Message): boolean {
  return "method" in message && message.method === "initialize";
}

/** Whether a message is of the modern era, in which each names its protocol version. */
export function isModern(message: Message): boolean {
  return readModernVersion(message) !== undefined;
}

async function* readMessages(response: IncomingMessage): AsyncGenerator<Message> {
  if (response.headers["content-type"]?.startsWith("text/event-stream")) {
    // An event without data only says how to reconnect.
    for await (const data of eventData(response)) if (data !== "") yield JSON.parse(data);
    return;
  }
  const body = await text(response);
  if (body.trim() !== "") yield JSON.parse(body);
}

function readSessionHeaders(response: IncomingMessage): Record<string, string> {
  const id = response.headers["mcp-session-id"];
  return typeof id === "string" ? { "mcp-session-id": id } : {};
}

/** Over HTTP a modern request repeats parts of its body in headers. */
function buildModernHeaders(message: Message): Record<string, string> {
  const version = readModernVersion(message);
  if (version === undefined || !("method" in message) || typeof message.method !== "string") return {};
  const name = readParams(message)[NAME_FIELDS[message.method] ?? ""];
  return {
    "mcp-protocol-version": version,
    "mcp-method": message.method,
    ...(typeof name === "string" && { "mcp-name": encodeHeader(name) }),
  };
}

function readModernVersion(message: Message): string | undefined {
  const meta = readParams(message)._meta;
  const version = isRecord(meta) ? meta[META.protocolVersion] : undefined;
  return typeof version === "string" ? version : undefined;
}

function readParams(message: Message): Record<string, unknown> {
  return "params" in message && isRecord(message.params) ? message.params : {};
}

/** Returns the value unchanged if a header can carry it, otherwise in MCP's base64 form. */
function encodeHeader(value: string): string {
  const plain =
    /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return plain ? value : `=?base64?${Buffer.from(value, "utf8").toString("base64")}?=`;
}

function parseError(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return isRecord(parsed) && isRecord(parsed.error) ? parsed.error : undefined;
  } catch {
    return undefined;
  }
}
