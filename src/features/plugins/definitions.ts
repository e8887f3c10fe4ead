import type { JsonSchema, ToolFlags } from "../../contract/tool.ts";
import { isRecord, measureJson } from "../../lib/json.ts";

/** A tool as a plugin described it, checked and complete. Kept in the store. */
export interface PluginToolDefinition {
  readonly ownName: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** The flags the plugin declares; `getEffectiveFlags` decides which count. */
  readonly flags: ToolFlags;
  readonly timeoutMs: number;
  readonly warning?: string;
}

export interface CheckedDefinitions {
  readonly tools: readonly PluginToolDefinition[];
  /** Why tools were left out, for people. */
  readonly warnings: readonly string[];
}

const MAX_TOOLS = 200;
const MAX_BYTES = 64 * 1024;
const MAX_DEPTH = 100;
const MAX_DESCRIPTION = 10_000;
const MAX_TITLE = 200;
const MAX_WARNINGS = 20;
const DEFAULT_TIMEOUT_MS = 60_000;
const MAX_TIMEOUT_MS = 600_000;
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const ANY_OBJECT: JsonSchema = { type: "object" };
const NO_OBJECT_SCHEMA = "its schema does not describe an object, so it accepts any object";

/** Checks the tools that a plugin describes. Unusable ones are left out with a warning. */
export function checkDefinitions(
  described: readonly unknown[],
  redact: (text: string) => string,
): CheckedDefinitions {
  const tools = new Map<string, PluginToolDefinition>();
  const warnings: string[] = [];
  for (const candidate of described) {
    if (tools.size >= MAX_TOOLS) {
      warnings.unshift(`a plugin can have at most ${MAX_TOOLS} tools; the rest was left out`);
      break;
    }
    const checked = checkDefinition(candidate, tools, redact);
    if (typeof checked === "string") warnings.push(checked);
    else tools.set(checked.ownName, checked);
  }
  return { tools: [...tools.values()], warnings: warnings.slice(0, MAX_WARNINGS) };
}

/** The definition, or why it was left out. */
function checkDefinition(
  candidate: unknown,
  known: ReadonlyMap<string, unknown>,
  redact: (text: string) => string,
): PluginToolDefinition | string {
  if (!isRecord(candidate) || typeof candidate.name !== "string") return "a tool without a name was left out";
  const { name, title, description, inputSchema, outputSchema, flags, timeoutMs } = candidate;
  const quotedName = JSON.stringify(name.slice(0, 80));
  if (!NAME.test(name))
    return `the tool ${quotedName} was left out: a name must be 1 to 64 letters, digits, _, . and -`;
  if (known.has(name)) return `the tool ${quotedName} is defined twice; the second was left out`;
  if (candidate.runs !== true) return `the tool ${quotedName} has no run function and was left out`;
  if (typeof description !== "string" || description.trim() === "")
    return `the tool ${quotedName} has no description and was left out`;
  if (measureJson(candidate, MAX_DEPTH).tooDeep)
    return `the tool ${quotedName} is nested more than ${MAX_DEPTH} levels deep and was left out`;
  const text = JSON.stringify(candidate);
  if (Buffer.byteLength(text) > MAX_BYTES)
    return `the definition of the tool ${quotedName} has more than ${MAX_BYTES} bytes; it was left out`;
  if (redact(text) !== text)
    return `the definition of the tool ${quotedName} contains a secret; it was left out`;
  const schema = toObjectSchema(inputSchema);
  return {
    ownName: name,
    ...(typeof title === "string" && { title: title.slice(0, MAX_TITLE) }),
    description: description.slice(0, MAX_DESCRIPTION),
    inputSchema: schema ?? ANY_OBJECT,
    ...(isRecord(outputSchema) && { outputSchema }),
    flags: readFlags(flags),
    timeoutMs: readTimeLimit(timeoutMs),
    ...(schema === undefined && { warning: NO_OBJECT_SCHEMA }),
  };
}

/** If two flags contradict each other, the stricter one counts. */
function readFlags(flags: unknown): ToolFlags {
  const declared = isRecord(flags) ? flags : {};
  const destructive = declared.destructive === true;
  const readOnly = declared.readOnly === true && !destructive;
  return { readOnly, destructive, concurrencySafe: declared.concurrencySafe === true && !destructive };
}

/** A flag that tightens checks always counts; one that loosens them counts only for a trusted plugin, as with servers. */
export function getEffectiveFlags(
  { readOnly, concurrencySafe, destructive }: ToolFlags,
  trusted: boolean,
): ToolFlags {
  return { readOnly: trusted && readOnly, concurrencySafe: trusted && concurrencySafe, destructive };
}

function toObjectSchema(schema: unknown): JsonSchema | undefined {
  if (schema === undefined) return ANY_OBJECT;
  if (!isRecord(schema)) return undefined;
  if (schema.type === undefined) return { ...schema, type: "object" };
  return schema.type === "object" ? schema : undefined;
}

function readTimeLimit(ms: unknown): number {
  return typeof ms === "number" && ms >= 1 ? Math.min(Math.round(ms), MAX_TIMEOUT_MS) : DEFAULT_TIMEOUT_MS;
}
