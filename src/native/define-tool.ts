import type {
  Availability,
  Content,
  JsonSchema,
  Scope,
  Tool,
  ToolContext,
  ToolFlags,
  ToolResult,
} from "../tool.ts";
import { text } from "../tool.ts";
import { explainSystemError } from "./system-error.ts";

/** What a native tool has to say about itself; the rest is the same for all of them. */
export interface Definition<Args> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly properties: Readonly<Record<keyof Args & string, JsonSchema>>;
  readonly required: readonly (keyof Args & string)[];
  /** What is not named is false. */
  readonly flags?: Partial<ToolFlags>;
  readonly scope: Scope;
  readonly availability?: Availability;
  readonly timeoutMs?: number;
  run(args: Args, context: ToolContext): Promise<ToolResult>;
}

export function defineTool<Args extends object>(definition: Definition<Args>): Tool {
  const { name, title, description, properties, required, scope } = definition;
  const flags = { readOnly: false, concurrencySafe: false, destructive: false, ...definition.flags };
  return {
    name,
    ownName: name,
    title,
    description,
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    published: { annotations: annotations(title, flags) },
    flags,
    scope,
    availability: definition.availability ?? "both",
    floor: true,
    wildcard: true,
    origin: "native",
    timeoutMs: definition.timeoutMs ?? 60_000,
    status: () => ({ kind: "active" }),
    run: (args, context) => runSafely(definition, args as Args, context),
  };
}

export function output(message: string, structured?: Readonly<Record<string, unknown>>): ToolResult {
  return outputContent([text(message)], structured);
}

export function outputContent(
  content: readonly Content[],
  structured?: Readonly<Record<string, unknown>>,
): ToolResult {
  return { kind: "output", content, ...(structured && { structured }) };
}

/** `message` tells the model what was wrong and what to do about it. */
export function failed(message: string): ToolResult {
  return { kind: "failed", message };
}

/** A full disk or a missing right is an answer, not a bug; so is a cancelled call. */
async function runSafely<Args>(
  definition: Definition<Args>,
  args: Args,
  context: ToolContext,
): Promise<ToolResult> {
  try {
    context.signal.throwIfAborted();
    return await definition.run(args, context);
  } catch (thrown) {
    if (context.signal.aborted) return failed("The call was cancelled.");
    const explained = explainSystemError(thrown);
    if (explained === undefined) throw thrown;
    return failed(explained);
  }
}

function annotations(title: string, flags: ToolFlags): Readonly<Record<string, unknown>> {
  return {
    title,
    readOnlyHint: flags.readOnly,
    destructiveHint: flags.destructive,
    openWorldHint: false,
  };
}
