import type {
  Capability,
  JsonSchema,
  TaskRequest,
  Tool,
  ToolContext,
  ToolFlags,
  ToolResult,
  ToolStatus,
} from "../../contract/tool.ts";
import type { ToolPlace } from "../../contract/tool-place.ts";
import { findHosts, hostOf } from "../../lib/address/hosts-in.ts";
import { isRecord } from "../../lib/json.ts";
import { parseCallResult, type ServerRequest } from "../connection/call.ts";
import { buildTaskRequest, callAsLegacyTask, callWithTasks, retryAsTask } from "../connection/tasks.ts";
import type { ServerToolRecord } from "../records.ts";
import { describeTool, readCapabilities, type ToolDetails } from "../trust/definitions/describe-tool.ts";

/** The part of a server that its tools need. */
export interface ToolHost {
  /** The same as `Tool.origin`. */
  readonly origin: string;
  readonly trusted: boolean;
  /** Capabilities that people set, by the tools' own names; those of other tools are derived. */
  readonly capabilities: ReadonlyMap<string, readonly Capability[]>;
  readonly timeoutMs: number;
  readonly progressExtendsTimeout: boolean;
  /** The server's URL; null for a local one. */
  url(): string | null;
  /** The folder that the server starts in; null for Toolkeep's default. */
  cwd(): string | null;
  status(): ToolStatus;
  /** `isRepeatable` says that sending the request twice does no harm. */
  request(request: ServerRequest, context: ToolContext, isRepeatable: boolean): Promise<ToolResult>;
}

type PublishedTool = Pick<ServerToolRecord, "originalName" | "definition">;

/**
 * Wraps a published definition as a tool of the catalogue. The definition is parsed on first use: a start creates
 * thousands of tools and needs only their names.
 */
export function createServerTool(published: PublishedTool, name: string, host: ToolHost): Tool {
  // The getters of optional fields return undefined where the interface has no field.
  return new ServerTool(published, name, host) as Tool;
}

/** A class, because thousands of objects with their own closures would take several times the memory. */
class ServerTool implements ToolPlace {
  readonly name: string;
  readonly ownName: string;
  readonly origin: string;
  readonly scope = "mcp";
  readonly availability = "both";
  readonly floor = false;
  readonly wildcard = false;
  // A server runs in its own folder, and all its tools become unavailable with it.
  readonly startsElsewhere = true;
  readonly unavailableTogether = true;
  readonly timeoutMs: number;
  readonly progressExtendsTimeout: boolean;
  readonly #published: PublishedTool;
  readonly #host: ToolHost;
  #cachedDetails: ToolDetails | undefined;
  #capabilities: readonly Capability[] | undefined;

  constructor(published: PublishedTool, name: string, host: ToolHost) {
    this.name = name;
    this.ownName = published.originalName;
    this.origin = host.origin;
    this.timeoutMs = host.timeoutMs;
    this.progressExtendsTimeout = host.progressExtendsTimeout;
    this.#published = published;
    this.#host = host;
  }

  get title(): string | undefined {
    return this.#details.title;
  }

  get description(): string {
    return this.#details.description;
  }

  get inputSchema(): JsonSchema {
    return this.#details.inputSchema;
  }

  get outputSchema(): JsonSchema | undefined {
    return this.#details.outputSchema;
  }

  get warning(): string | undefined {
    return this.#details.warning;
  }

  get published(): Readonly<Record<string, unknown>> {
    return this.#details.published;
  }

  get flags(): ToolFlags {
    return this.#details.flags;
  }

  /** Includes the server's own host, which receives the arguments too. */
  hostsOf(args: Readonly<Record<string, unknown>>): Iterable<string> {
    const url = this.#host.url();
    const own = url === null ? undefined : hostOf(url);
    return own === undefined ? findHosts(args) : [own, ...findHosts(args)];
  }

  get capabilities(): readonly Capability[] {
    this.#capabilities ??=
      this.#host.capabilities.get(this.ownName) ??
      readCapabilities(this.ownName, this.#published.definition, this.#host.trusted);
    return this.#capabilities;
  }

  get startsIn(): string | undefined {
    return this.#host.cwd() ?? undefined;
  }

  get untrusted(): boolean {
    return !this.#host.trusted;
  }

  status(): ToolStatus {
    return this.#host.status();
  }

  run(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult> {
    const { isRepeatable } = this.#details;
    const { definition } = this.#published;
    const params = { name: this.ownName, arguments: args };
    const schema = definition.inputSchema;
    const call = { method: "tools/call", params, inputSchema: schema, toResult: parseCallResult } as const;
    if (isTaskOnly(definition)) return callAsLegacyTask(this.#host, call, context);
    if (mayUseTasks(context.rounds)) return callWithTasks(this.#host, call, context, isRepeatable);
    return this.#host
      .request(call, context, isRepeatable)
      .then((result) => (result.kind === "failed" ? retryAsTask(this.#host, call, context, result) : result));
  }

  followTask(request: TaskRequest, context: ToolContext): Promise<ToolResult> {
    return this.#host.request(buildTaskRequest(request), context, request.action === "get");
  }

  get #details(): ToolDetails {
    this.#cachedDetails ??= describeTool(this.#published.definition, this.#host.trusted);
    return this.#cachedDetails;
  }
}

/** Whether the caller may follow tasks or answer one's inquiry. Cheap, because most callers do neither. */
function mayUseTasks(rounds: ToolContext["rounds"]): boolean {
  return rounds !== undefined && (rounds.state !== undefined || rounds.capabilities.extensions !== undefined);
}

/** Servers of 2025-11-25 declare it this way. */
function isTaskOnly({ execution }: ServerToolRecord["definition"]): boolean {
  return isRecord(execution) && execution.taskSupport === "required";
}
