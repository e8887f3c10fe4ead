import { type Content, type ToolResult, text } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";
import { type CommandResult, MAX_PRINTED } from "../../machine/process/run-command.ts";

/** Of what a script printed to standard error a model sees the end, where the reason of a failure is. */
const MAX_ERRORS = 4_000;

/** What a script answered: by its exit code, then by what it printed. */
export function answerOf(ran: CommandResult, wantsObject: boolean): ToolResult {
  if (ran.reason === "cancelled") return stopped("The script was stopped.", ran);
  if (ran.reason === "flooded")
    return stopped(`The script printed more than ${MAX_PRINTED / 1024 ** 2} MiB and was stopped.`, ran);
  if (ran.code === null && ran.signal === null)
    return { kind: "unavailable", message: "The script could not be started. Tell a person." };
  if (ran.code !== 0) {
    const how = ran.code === null ? `was ended by ${ran.signal}` : `ended with exit code ${ran.code}`;
    return stopped(`The script ${how}.`, ran);
  }
  const printed = ran.isCut ? undefined : parsed(ran.output);
  if (isRecord(printed)) return ofObject(printed, ran.output);
  if (wantsObject) {
    const why = ran.isCut
      ? `printed ${ran.outputBytes} bytes, more than its max_output_bytes`
      : "printed none";
    return stopped(`The output_schema of the script promises a JSON object, but it ${why}.`, ran);
  }
  return { kind: "output", content: [text(ran.output.trim() === "" ? "(no output)" : ran.output)] };
}

/** What MCP calls a tool result is taken as one; any other object is the structured result itself. */
function ofObject(printed: Record<string, unknown>, written: string): ToolResult {
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
  const said = content.find((block) => typeof block.text === "string")?.text;
  return typeof said === "string" ? said : "The script says that it failed.";
}

function parsed(output: string): unknown {
  if (!output.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}

function stopped(message: string, { output, errors }: CommandResult): ToolResult {
  const said = errors.trim() === "" ? [] : [text(`standard error:\n${tailOf(errors.trimEnd())}`)];
  const printed = output.trim() === "" ? [] : [text(`standard output:\n${output}`)];
  return { kind: "failed", message, content: [text(message), ...said, ...printed] };
}

/** The end of it, within what is worth reading. */
export function tailOf(errors: string): string {
  return errors.length <= MAX_ERRORS ? errors : `[…]\n${errors.slice(-MAX_ERRORS)}`;
}
