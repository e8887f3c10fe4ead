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
  readonly serverName: string;
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

/**
 * A published definition as a tool of the catalogue, under the name it was given. The definition is looked at when
 * somebody wants to know what it says: a start makes thousands of tools and needs only their names.
 */
export function serverTool(
  published: Pick<ServerToolRecord, "originalName" | "definition">,
  name: string,
  host: ToolHost,
): Tool {
  const { originalName } = published;
  let known: Described | undefined;
  const described = () => {
    known ??= describe(published.definition, host.trusted);
    return known;
  };
  const tool = {
    name,
    ownName: originalName,
    get title() {
      return described().title;
    },
    get description() {
      return described().description;
    },
    get inputSchema() {
      return described().inputSchema;
    },
    get outputSchema() {
      return described().outputSchema;
    },
    get warning() {
      return described().warning;
    },
    get published() {
      return described().published;
    },
    get flags() {
      return described().flags;
    },
    scope: "mcp",
    availability: "both",
    floor: false,
    wildcard: false,
    deferrable: true,
    origin: `mcp:${host.serverName}`,
    timeoutMs: host.timeoutMs,
    progressExtendsTimeout: host.progressExtendsTimeout,
    status: () => host.status(),
    run: (args: Readonly<Record<string, unknown>>, context: ToolContext) => {
      const { inputSchema, repeatable } = described();
      const params = { name: originalName, arguments: withoutApproved(args, inputSchema) };
      const schema = published.definition.inputSchema;
      const call = { method: "tools/call", params, inputSchema: schema, resultOf: callResult } as const;
      return isTaskOnly(published.definition)
        ? callAsLegacyTask(host, call, context)
        : callOrTask(host, call, context, repeatable);
    },
    followTask: (request: TaskRequest, context: ToolContext) =>
      host.request(aboutTask(request), context, request.action === "get"),
  } as const;
  // A getter cannot be absent as optional fields may be; undefined says the same.
  return tool as Tool;
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

/** A hint that tightens is believed from anyone, one that loosens only from a trusted server. */
function flagsOf(annotations: Readonly<Record<string, unknown>>, trusted: boolean): ToolFlags {
  const destructive = annotations.destructiveHint === true;
  const readOnly = trusted && annotations.readOnlyHint === true && !destructive;
  return { readOnly, concurrencySafe: readOnly, destructive };
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
