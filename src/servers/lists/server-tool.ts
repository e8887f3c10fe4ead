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
import { hostOf, hostsIn } from "../../lib/address/hosts-in.ts";
import { isRecord } from "../../lib/json.ts";
import type { ServerToolRecord } from "../../machine/db/store.ts";
import { parseCallResult, type ServerRequest } from "../connection/call.ts";
import { buildTaskRequest, callAsLegacyTask, callWithTasks, retryAsTask } from "../connection/tasks.ts";
import { capabilitiesOf, type Described, describeTool } from "../trust/definitions/describe-tool.ts";

/** What a tool needs of the server it belongs to. */
export interface ToolHost {
  /** As `Tool.origin` has it. */
  readonly origin: string;
  readonly trusted: boolean;
  /** What people said that its tools can do, by their own names; of others it is derived. */
  readonly capabilities: ReadonlyMap<string, readonly Capability[]>;
  readonly timeoutMs: number;
  readonly progressExtendsTimeout: boolean;
  /** Where the server is; null for a local one. */
  url(): string | null;
  /** The folder that it starts in; null: where Toolkeep has it start. */
  cwd(): string | null;
  status(): ToolStatus;
  /** `repeatable`: sending it twice does no more than sending it once. */
  request(what: ServerRequest, context: ToolContext, repeatable: boolean): Promise<ToolResult>;
}

type Published = Pick<ServerToolRecord, "originalName" | "definition">;

/**
 * A published definition as a tool of the catalogue, under the name it was given. The definition is looked at when
 * somebody wants to know what it says: a start makes thousands of tools and needs only their names.
 */
export function serverTool(published: Published, name: string, host: ToolHost): Tool {
  // A getter cannot be absent as optional fields may be; undefined says the same.
  return new ServerTool(published, name, host) as Tool;
}

/** A class, because objects with functions of their own would take several times the memory, and there may be many thousands. */
class ServerTool implements ToolPlace {
  readonly name: string;
  readonly ownName: string;
  readonly origin: string;
  readonly scope = "mcp";
  readonly availability = "both";
  readonly floor = false;
  readonly wildcard = false;
  // A server runs in a folder of its own, and takes all its tools along when it goes away.
  readonly startsElsewhere = true;
  readonly unavailableTogether = true;
  readonly timeoutMs: number;
  readonly progressExtendsTimeout: boolean;
  readonly #published: Published;
  readonly #host: ToolHost;
  #described: Described | undefined;
  #capabilities: readonly Capability[] | undefined;

  constructor(published: Published, name: string, host: ToolHost) {
    this.name = name;
    this.ownName = published.originalName;
    this.origin = host.origin;
    this.timeoutMs = host.timeoutMs;
    this.progressExtendsTimeout = host.progressExtendsTimeout;
    this.#published = published;
    this.#host = host;
  }

  get title(): string | undefined {
    return this.#says.title;
  }

  get description(): string {
    return this.#says.description;
  }

  get inputSchema(): JsonSchema {
    return this.#says.inputSchema;
  }

  get outputSchema(): JsonSchema | undefined {
    return this.#says.outputSchema;
  }

  get warning(): string | undefined {
    return this.#says.warning;
  }

  get published(): Readonly<Record<string, unknown>> {
    return this.#says.published;
  }

  get flags(): ToolFlags {
    return this.#says.flags;
  }

  /** The server itself gets whatever it is to send on. */
  hostsOf(args: Readonly<Record<string, unknown>>): Iterable<string> {
    const url = this.#host.url();
    const own = url === null ? undefined : hostOf(url);
    return own === undefined ? hostsIn(args) : [own, ...hostsIn(args)];
  }

  get capabilities(): readonly Capability[] {
    this.#capabilities ??=
      this.#host.capabilities.get(this.ownName) ??
      capabilitiesOf(this.ownName, this.#published.definition, this.#host.trusted);
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
    const { repeatable } = this.#says;
    const { definition } = this.#published;
    const params = { name: this.ownName, arguments: args };
    const schema = definition.inputSchema;
    const call = { method: "tools/call", params, inputSchema: schema, toResult: parseCallResult } as const;
    if (isTaskOnly(definition)) return callAsLegacyTask(this.#host, call, context);
    if (maySpeakOfTasks(context.rounds)) return callWithTasks(this.#host, call, context, repeatable);
    return this.#host
      .request(call, context, repeatable)
      .then((result) => (result.kind === "failed" ? retryAsTask(this.#host, call, context, result) : result));
  }

  followTask(request: TaskRequest, context: ToolContext): Promise<ToolResult> {
    return this.#host.request(buildTaskRequest(request), context, request.action === "get");
  }

  get #says(): Described {
    this.#described ??= describeTool(this.#published.definition, this.#host.trusted);
    return this.#described;
  }
}

/** Whether the caller may follow tasks, or answer what one asked; most say nothing of the kind. */
function maySpeakOfTasks(rounds: ToolContext["rounds"]): boolean {
  return rounds !== undefined && (rounds.state !== undefined || rounds.capabilities.extensions !== undefined);
}

/** As servers of 2025-11-25 say it. */
function isTaskOnly({ execution }: ServerToolRecord["definition"]): boolean {
  return isRecord(execution) && execution.taskSupport === "required";
}
