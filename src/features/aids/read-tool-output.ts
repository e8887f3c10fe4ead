import type { Caller } from "../../contract/caller.ts";
import { defineTool, failed, outputContent } from "../../contract/define-native-tool.ts";
import { type Tool, text } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import { wholeCharacterAt } from "../../lib/text/whole-characters.ts";
import type { Settings } from "../../machine/config/settings.ts";
import {
  OUTPUT_KEPT_MS,
  type OutputRecord,
  type OutputStore,
} from "../../machine/db/tables/calls/output-record.ts";

export interface OutputDeps {
  readonly store: { readonly outputs: Pick<OutputStore, "get" | "read"> };
  readonly settings: () => { readonly limits: Pick<Settings["limits"], "maxResultChars"> };
  readonly clock: Clock;
}

/** Room for the line that says which part it is. */
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
      const output = await deps.store.outputs.get(id);
      if (!output || !mayRead(caller, output)) return failed(unknown(id));
      if (deps.clock() - output.createdAt > OUTPUT_KEPT_MS) return failed(expired(id));
      if (offset >= output.chars) return failed(pastTheEnd(offset, output));
      const room = deps.settings().limits.maxResultChars - HEADING_CHARS;
      const part = await readPart(output, offset, Math.min(limit, room), deps.store.outputs);
      // It was removed meanwhile, to make room.
      if (part.text === "") return failed(unknown(id));
      const { labels } = output;
      return outputContent([text(heading(part, output)), text(part.text)], undefined, { labels });
    },
  });
}

/** Another's is as unknown as one that never was. */
function mayRead(caller: Caller, { agentId }: OutputRecord): boolean {
  return caller.operator || caller.agentId === agentId;
}

interface Part {
  readonly text: string;
  readonly from: number;
}

/** No character is parted: it may begin one earlier, and have one less or, where that left none, one more. */
async function readPart(
  { id }: OutputRecord,
  offset: number,
  limit: number,
  outputs: Pick<OutputStore, "read">,
): Promise<Part> {
  const before = Math.min(offset, 1);
  const around = await outputs.read(id, offset - before, offset + limit + 1);
  const start = wholeCharacterAt(around, before);
  const end = wholeCharacterAt(around, before + limit);
  return { from: offset - before + start, text: around.slice(start, end > start ? end : start + 2) };
}

function heading({ from, text: { length } }: Part, { id, chars }: OutputRecord): string {
  const end = from + length;
  const rest = end < chars ? `go on with offset=${end}` : "this is the end";
  return `[${id}: characters ${from} to ${end} of ${chars}; ${rest}]`;
}

function unknown(id: string): string {
  return (
    `No output that you may read has the id ${JSON.stringify(id)}. An output can be read for ${HOURS} hours, and only by the agent whose ` +
    "call it was. Take the id from the line in a cut output, or make the call again."
  );
}

function expired(id: string): string {
  return `The output ${id} is older than ${HOURS} hours and can no longer be read. Make the call again.`;
}

function pastTheEnd(offset: number, { id, chars }: OutputRecord): string {
  return `The offset ${offset} is past the end of ${id}, which has ${chars} characters. Give an offset below ${chars}.`;
}
