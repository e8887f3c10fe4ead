import { isRecord } from "../lib/json.ts";
import type { ServerToolRecord } from "../store/store.ts";
import type {
  JsonSchema,
  TaskRequest,
  Tool,
  ToolContext,
  ToolFlags,
  ToolResult,
  ToolStatus,
} from "../tool.ts";
import { callResult } from "./call-result.ts";
import type { ServerRequest } from "./server-request.ts";
import { aboutTask, callAsLegacyTask, callOrTask } from "./task-calls.ts";

/** What a tool needs of the server it belongs to. */
export interface ToolHost {
  /** As `Tool.origin` has it. */
  readonly origin: string;
  readonly trusted: boolean;
  readonly timeoutMs: number;
  readonly progressExtendsTimeout: boolean;
  status(): ToolStatus;
  /** `repeatable`: sending it twice does no more than sending it once. */
  request(what: ServerRequest, context: ToolContext, repeatable: boolean): Promise<ToolResult>;
}

const PASSED_ON = ["title", "annotations", "icons", "_meta"];

/** What a definition says about a tool. */
interface Described {
  readonly title: string | undefined;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema | undefined;
  readonly warning: string | undefined;
  readonly published: Readonly<Record<string, unknown>>;
  readonly flags: ToolFlags;
  /** A trusted server says so. */
  readonly repeatable: boolean;
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
class ServerTool {
  readonly name: string;
  readonly ownName: string;
  readonly origin: string;
  readonly scope = "mcp";
  readonly availability = "both";
  readonly floor = false;
  readonly wildcard = false;
  readonly deferrable = true;
  readonly timeoutMs: number;
  readonly progressExtendsTimeout: boolean;
  readonly #published: Published;
  readonly #host: ToolHost;
  #described: Described | undefined;

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

  status(): ToolStatus {
    return this.#host.status();
  }

  run(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult> {
    const { inputSchema, repeatable } = this.#says;
    const { definition } = this.#published;
    const params = { name: this.ownName, arguments: withoutApproved(args, inputSchema) };
    const schema = definition.inputSchema;
    const call = { method: "tools/call", params, inputSchema: schema, resultOf: callResult } as const;
    return isTaskOnly(definition)
      ? callAsLegacyTask(this.#host, call, context)
      : callOrTask(this.#host, call, context, repeatable);
  }

  followTask(request: TaskRequest, context: ToolContext): Promise<ToolResult> {
    return this.#host.request(aboutTask(request), context, request.action === "get");
  }

  get #says(): Described {
    this.#described ??= describe(this.#published.definition, this.#host.trusted);
    return this.#described;
  }
}

function describe(definition: ServerToolRecord["definition"], trusted: boolean): Described {
  const annotations = isRecord(definition.annotations) ? definition.annotations : {};
  const inputSchema = objectSchema(definition.inputSchema);
  const flags = flagsOf(annotations, trusted);
  return {
    title: textOf(definition.title) ?? textOf(annotations.title),
    description: textOf(definition.description) ?? "",
    inputSchema,
    outputSchema: isRecord(definition.outputSchema) ? definition.outputSchema : undefined,
    warning: inputSchema === ANY_OBJECT ? NO_OBJECT_SCHEMA : undefined,
    published: passedOn(definition),
    flags,
    repeatable: flags.readOnly || (trusted && annotations.idempotentHint === true),
  };
}

const ANY_OBJECT: JsonSchema = { type: "object" };
const NO_OBJECT_SCHEMA = "its schema is not one of an object, so it accepts any object";

const READING: ToolFlags = { readOnly: true, concurrencySafe: true, destructive: false };
const CHANGING: ToolFlags = { readOnly: false, concurrencySafe: false, destructive: false };
const DESTROYING: ToolFlags = { ...CHANGING, destructive: true };

/** A hint that tightens is believed from anyone, one that loosens only from a trusted server. */
function flagsOf(annotations: Readonly<Record<string, unknown>>, trusted: boolean): ToolFlags {
  const destructive = annotations.destructiveHint === true;
  const readOnly = trusted && annotations.readOnlyHint === true && !destructive;
  return readOnly ? READING : destructive ? DESTROYING : CHANGING;
}

/** Some servers leave the type out where they list properties. */
function objectSchema(schema: unknown): JsonSchema {
  if (!isRecord(schema)) return ANY_OBJECT;
  if (schema.type === undefined) return { ...schema, type: "object" };
  return schema.type === "object" ? schema : ANY_OBJECT;
}

function passedOn(definition: ServerToolRecord["definition"]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const field of PASSED_ON) if (definition[field] !== undefined) fields[field] = definition[field];
  return fields;
}

/** `approved` is how some hosts mark an approved call; it is theirs, not the server's, unless it asks for one. */
function withoutApproved(args: Readonly<Record<string, unknown>>, schema: JsonSchema) {
  if (!("approved" in args) || (isRecord(schema.properties) && "approved" in schema.properties)) return args;
  const { approved: _, ...rest } = args;
  return rest;
}

/** As servers of 2025-11-25 say it. */
function isTaskOnly({ execution }: ServerToolRecord["definition"]): boolean {
  return isRecord(execution) && execution.taskSupport === "required";
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
