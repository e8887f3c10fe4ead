import {
  type Client,
  ProtocolError,
  ProtocolErrorCode,
  type RequestOptions,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import { isRecord } from "../lib/json.ts";

/** A tool as its server published it; only `name` is certain. */
export interface ToolDefinition {
  readonly name: string;
  readonly [field: string]: unknown;
}

export interface ToolList {
  readonly tools: readonly ToolDefinition[];
  /** What was left out and why, for people. */
  readonly warnings: readonly string[];
}

const MAX_PAGES = 100;
const MAX_TOOLS = 10_000;
const MAX_DEFINITION_BYTES = 256 * 1024;
const MAX_WARNINGS = 20;

/** Loose on purpose: one tool that is not as it should be must not cost its neighbours. */
const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

/** All pages of `tools/list`. Rejects when the server does; what is out of bounds is left out with a warning. */
export async function listTools(client: Client, options: RequestOptions): Promise<ToolList> {
  const tools = new Map<string, ToolDefinition>();
  const warnings: string[] = [];
  const warn = (text: string) => warnings.length < MAX_WARNINGS && warnings.push(text);

  let cursor: string | undefined;
  for (let pages = 1; ; pages++) {
    const { tools: found, nextCursor } = await fetchPage(client, cursor, options);
    for (const candidate of found) {
      if (tools.size >= MAX_TOOLS) {
        warn(`the list has more than ${MAX_TOOLS} tools; the rest was left out`);
        return { tools: [...tools.values()], warnings };
      }
      const problem = problemOf(candidate, tools);
      if (problem === undefined) tools.set((candidate as ToolDefinition).name, candidate as ToolDefinition);
      else warn(problem);
    }
    if (!nextCursor || nextCursor === cursor) break;
    if (pages >= MAX_PAGES) {
      warn(`the list has more than ${MAX_PAGES} pages; the rest was left out`);
      break;
    }
    cursor = nextCursor;
  }
  return { tools: [...tools.values()], warnings };
}

async function fetchPage(client: Client, cursor: string | undefined, options: RequestOptions) {
  try {
    const params = cursor === undefined ? {} : { cursor };
    return await client.request({ method: "tools/list", params }, page, options);
  } catch (error) {
    const offersNone =
      client.getServerCapabilities()?.tools === undefined &&
      error instanceof ProtocolError &&
      error.code === ProtocolErrorCode.MethodNotFound;
    if (offersNone) return { tools: [], nextCursor: undefined };
    throw error;
  }
}

function problemOf(candidate: unknown, known: ReadonlyMap<string, unknown>): string | undefined {
  if (!isRecord(candidate) || typeof candidate.name !== "string" || candidate.name === "") {
    return "a tool without a name was left out";
  }
  const shown = JSON.stringify(candidate.name.slice(0, 100));
  if (known.has(candidate.name)) return `the tool ${shown} is listed twice; the second was left out`;
  const bytes = Buffer.byteLength(JSON.stringify(candidate));
  if (bytes > MAX_DEFINITION_BYTES) {
    return `the definition of the tool ${shown} has ${bytes} bytes, more than ${MAX_DEFINITION_BYTES}; it was left out`;
  }
  return undefined;
}
