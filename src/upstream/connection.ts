import {
  type Client,
  type DiscoverResult,
  ProtocolError,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type Transport,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Progress, ToolResult } from "../tool.ts";
import { callResult } from "./call-result.ts";
import { describeFailure } from "./failure.ts";
import { listTools, type ToolList } from "./tool-list.ts";

/** Which revision of the protocol a server speaks, found when it was connected to; kept to spare the next probe. */
export interface Era {
  readonly era: "legacy" | "modern";
  readonly version: string;
  readonly at: number;
  /** What a modern server said about itself. */
  readonly discover?: DiscoverResult;
}

/** A client that has shaken hands. */
export interface OpenClient {
  readonly client: Client;
  readonly transport: Transport;
  readonly closed: Promise<string>;
  /** Hides what may not be shown in what the server tells about itself. */
  readonly redact: (text: string) => string;
}

/** How one call is sent: its tool and arguments, and where its progress goes. */
export interface ConnectionCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly onProgress: (update: Progress) => void;
}

/** The executor ends calls sooner; this only keeps the SDK's own minute from doing it. */
const CALL_TIMEOUT_MS = 660_000;
const MAX_INSTRUCTIONS = 64 * 1024;

/** One live connection to a server, shared by every call. */
export class Connection {
  /** The list as of connecting. */
  readonly initialTools: ToolList;
  readonly era: Era;
  readonly instructions: string | null;
  /** Resolves with the reason once the connection has ended, whoever ended it. */
  readonly closed: Promise<string>;
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #redact: (text: string) => string;
  #fault: string | undefined;

  constructor(opened: OpenClient, initialTools: ToolList, at: number) {
    this.#client = opened.client;
    this.#transport = opened.transport;
    this.#redact = opened.redact;
    this.closed = opened.closed.then((reason) => this.#fault ?? reason);
    this.initialTools = initialTools;
    this.instructions =
      opened.redact(opened.client.getInstructions() ?? "").slice(0, MAX_INSTRUCTIONS) || null;
    this.era = eraOf(opened.client, at);
  }

  /** Never rejects: what goes wrong becomes a result that says so. */
  async callTool(call: ConnectionCall): Promise<ToolResult> {
    try {
      const params = { name: call.tool, arguments: call.arguments };
      const options: RequestOptions = {
        signal: call.signal,
        timeout: CALL_TIMEOUT_MS,
        onprogress: ({ progress, total, message }) =>
          call.onProgress({
            progress,
            ...(total === undefined ? {} : { total }),
            ...(message === undefined ? {} : { message }),
          }),
      };
      return callResult(await this.#client.request({ method: "tools/call", params }, anyObject, options));
    } catch (error) {
      return await this.#failure(error, call.signal);
    }
  }

  listTools(signal: AbortSignal): Promise<ToolList> {
    return listTools(this.#client, { signal }, this.#redact);
  }

  /** Calls `listener` whenever the server says that its tools changed. */
  async onToolsChanged(listener: () => void): Promise<void> {
    this.#client.setNotificationHandler("notifications/tools/list_changed", listener);
    const announces = this.#client.getServerCapabilities()?.tools?.listChanged === true;
    if (announces && this.era.era === "modern") await this.#client.listen({ toolsListChanged: true });
  }

  async close(): Promise<void> {
    await this.#client.close().catch(() => {});
    await this.#transport.close().catch(() => {});
  }

  async #failure(error: unknown, signal: AbortSignal): Promise<ToolResult> {
    if (signal.aborted) return { kind: "failed", message: "the call was cancelled" };
    if (error instanceof ProtocolError) {
      return { kind: "failed", message: `the server refused the call: ${error.message}` };
    }
    if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) {
      return {
        kind: "failed",
        message: `the server sent an answer that is no tool result: ${error.message}`,
      };
    }
    if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
      return { kind: "timed_out", message: "the server did not answer in time" };
    // A pipe ends as a whole; where one HTTP request failed, the next should start afresh too.
    this.#fault = describeFailure(error, this.#transport);
    await this.close();
    return { kind: "unavailable", message: `the connection was lost during the call: ${this.#fault}` };
  }
}

function eraOf(client: Client, at: number): Era {
  const discover = client.getDiscoverResult();
  return {
    era: client.getProtocolEra() ?? "legacy",
    version: client.getNegotiatedProtocolVersion() ?? "unknown",
    at,
    ...(discover ? { discover } : {}),
  };
}

const anyObject = z.looseObject({});
