import { OUTPUT_KEPT_MS } from "../../call/executor/finish.ts";
import type { OutputRecord, OutputTable } from "../../call/executor/tables.ts";
import type { Caller } from "../../contract/caller.ts";
import { defineTool, failed, outputContent } from "../../contract/define-native-tool.ts";
import { type Tool, text } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import { wholeCharacterAt } from "../../lib/text/whole-characters.ts";
import type { Settings } from "../../machine/config/settings.ts";

export interface OutputDeps {
  readonly outputs: Pick<OutputTable, "get" | "read">;
  readonly settings: () => { readonly limits: Pick<Settings["limits"], "maxResultChars"> };
  readonly clock: Clock;
}

/** Room for the heading. */
const HEADING_CHARS = 200;
const HOURS = OUTPUT_KEPT_MS / 3_600_000;

export function readToolOutputTool(deps: OutputDeps): Tool {
  return defineTool<{ readonly id: string; readonly offset?: number; readonly limit?: number }>({
    name: "read_tool_output",
    title: "Read the whole of a cut output",
    domain: "work",
    description:
      "Read a part of an output that was too long and had its middle left out. The line in its place gives the id, and the " +
      `offset at which what was left out begins. Outputs are kept for ${HOURS} hours.`,
    properties: {
      id: { type: "string", minLength: 1, maxLength: 100, description: "As the cut output gives it: out_…" },
      offset: {
        type: "integer",
        minimum: 0,
        description: "The character to begin with, counted from 0; without it the first one.",
      },
      limit: {
        type: "integer",
        minimum: 1,
        description: "How many characters at most; without it as many as fit into one answer.",
      },
    },
    required: ["id"],
    flags: { readOnly: true, concurrencySafe: true },
    scope: "tools",
    rereads: true,
    async run({ id, offset = 0, limit = Number.POSITIVE_INFINITY }, { caller }) {
      const output = await deps.outputs.get(id);
      if (!output || !canRead(caller, output)) return failed(explainUnknown(id));
      if (deps.clock() - output.createdAt > OUTPUT_KEPT_MS) return failed(explainExpired(id));
      if (offset >= output.chars) return failed(explainPastEnd(offset, output));
      const room = deps.settings().limits.maxResultChars - HEADING_CHARS;
      const part = await readPart(output, offset, Math.min(limit, room), deps.outputs);
      // The output was removed meanwhile to make room.
      if (part.text === "") return failed(explainUnknown(id));
      const { labels } = output;
      return outputContent([text(formatHeading(part, output)), text(part.text)], undefined, { labels });
    },
  });
}

/** Outputs of other agents are reported as unknown. */
function canRead(caller: Caller, { agentId }: OutputRecord): boolean {
  return caller.operator || caller.agentId === agentId;
}

interface OutputPart {
  readonly text: string;
  readonly from: number;
}

/** Never splits a character: the part may start one code unit earlier, and be one shorter or, if that leaves nothing, one longer. */
async function readPart(
  { id }: OutputRecord,
  offset: number,
  limit: number,
  outputs: Pick<OutputTable, "read">,
): Promise<OutputPart> {
  const before = Math.min(offset, 1);
  const around = await outputs.read(id, offset - before, offset + limit + 1);
  const start = wholeCharacterAt(around, before);
  const end = wholeCharacterAt(around, before + limit);
  return { from: offset - before + start, text: around.slice(start, end > start ? end : start + 2) };
}

function formatHeading({ from, text: { length } }: OutputPart, { id, chars }: OutputRecord): string {
  const end = from + length;
  const rest = end < chars ? `continue with offset=${end}` : "end of output";
  return `[${id}: characters ${from} to ${end} of ${chars}; ${rest}]`;
}

function explainUnknown(id: string): string {
  return (
    `No output that you may read has the id ${JSON.stringify(id)}. An output can be read for ${HOURS} hours, and only by the agent whose ` +
    "call it was. Take the id from the line in a cut output, or make the call again."
  );
}

function explainExpired(id: string): string {
  return `The output ${id} is older than ${HOURS} hours and can no longer be read. Make the call again.`;
}

function explainPastEnd(offset: number, { id, chars }: OutputRecord): string {
  return `The offset ${offset} is past the end of ${id}, which has ${chars} characters. Give an offset below ${chars}.`;
}
