import { type Content, type ToolResult, text } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";
import { type CommandResult, MAX_PRINTED } from "../../machine/process/run-command.ts";

/** A model sees only the end of standard error, where the reason of a failure is. */
const MAX_ERRORS = 4_000;

/** Turns the exit code and output of a script into a result. */
export function toResult(ran: CommandResult, wantsObject: boolean): ToolResult {
  if (ran.reason === "cancelled") return createFailure("The script was stopped.", ran);
  if (ran.reason === "flooded")
    return createFailure(`The script printed more than ${MAX_PRINTED / 1024 ** 2} MiB and was stopped.`, ran);
  if (ran.code === null && ran.signal === null)
    return { kind: "unavailable", message: "The script could not be started. Tell a person." };
  if (ran.code !== 0) {
    const how = ran.code === null ? `was ended by ${ran.signal}` : `ended with exit code ${ran.code}`;
    return createFailure(`The script ${how}.`, ran);
  }
  const printed = ran.isCut ? undefined : parseJson(ran.output);
  if (isRecord(printed)) return fromObject(printed, ran.output);
  if (wantsObject) {
    const problem = ran.isCut
      ? `printed ${ran.outputBytes} bytes, more than its max_output_bytes`
      : "printed no JSON object";
    return createFailure(`The script's output_schema requires a JSON object, but it ${problem}.`, ran);
  }
  return { kind: "output", content: [text(ran.output.trim() === "" ? "(no output)" : ran.output)] };
}

/** An object in the form of an MCP tool result is used as one; any other object is the structured result. */
function fromObject(printed: Record<string, unknown>, written: string): ToolResult {
  if (!isContent(printed.content)) return { kind: "output", content: [text(written)], structured: printed };
  const { content, structuredContent, isError } = printed;
  const structured = isRecord(structuredContent) ? { structured: structuredContent } : {};
  if (isError === true) return { kind: "failed", message: firstText(content), content, ...structured };
  return { kind: "output", content, ...structured };
}

function isContent(value: unknown): value is Content[] {
  return Array.isArray(value) && value.every((block) => isRecord(block) && typeof block.type === "string");
}

function firstText(content: readonly Content[]): string {
  const message = content.find((block) => typeof block.text === "string")?.text;
  return typeof message === "string" ? message : "The script reported a failure.";
}

function parseJson(output: string): unknown {
  if (!output.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}

function createFailure(message: string, { output, errors }: CommandResult): ToolResult {
  const stderr = errors.trim() === "" ? [] : [text(`standard error:\n${shortenStderr(errors.trimEnd())}`)];
  const printed = output.trim() === "" ? [] : [text(`standard output:\n${output}`)];
  return { kind: "failed", message, content: [text(message), ...stderr, ...printed] };
}

/** Keeps only the end of long error output. */
export function shortenStderr(errors: string): string {
  return errors.length <= MAX_ERRORS ? errors : `[…]\n${errors.slice(-MAX_ERRORS)}`;
}
