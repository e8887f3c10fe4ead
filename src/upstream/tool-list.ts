import {
  type Client,
  ProtocolError,
  ProtocolErrorCode,
  type RequestOptions,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import { extentOf, isRecord, mapTexts } from "../lib/json.ts";

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
const MAX_LIST_BYTES = 16 * 1024 * 1024;
const MAX_DEPTH = 100;
const MAX_NAME_LENGTH = 256;
/** Control characters and halves of surrogate pairs: no database keeps all of them as they are. */
const UNFIT_NAME = /[\p{Cc}\p{Cs}]/u;
const MAX_WARNINGS = 20;

/** Loose on purpose: one tool that is not as it should be must not cost its neighbours. */
const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

/**
 * All pages of `tools/list`, without secrets. Rejects when the server does; what is out of bounds is left out with
 * a warning.
 */
export async function listTools(
  client: Client,
  options: RequestOptions,
  redact: (text: string) => string,
): Promise<ToolList> {
  const found = new FoundTools(redact);
  let cursor: string | undefined;
  for (let pages = 1; ; pages++) {
    const { tools, nextCursor } = await fetchPage(client, cursor, options);
    if (!tools.every((candidate) => found.add(candidate))) break;
    if (!nextCursor || nextCursor === cursor) break;
    if (pages >= MAX_PAGES) {
      found.warn(`the list has more than ${MAX_PAGES} pages; the rest was left out`);
      break;
    }
    cursor = nextCursor;
  }
  return { tools: [...found.tools.values()], warnings: found.warnings };
}

/** What a list holds so far, within its bounds. */
class FoundTools {
  readonly tools = new Map<string, ToolDefinition>();
  readonly warnings: string[] = [];
  readonly #redact: (text: string) => string;
  #bytes = 0;

  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  /** False when nothing more is taken. */
  add(candidate: unknown): boolean {
    const problem = problemOf(candidate, this.tools) ?? this.#keep(candidate as ToolDefinition);
    if (problem !== undefined) this.warn(problem);
    const isFull = this.tools.size >= MAX_TOOLS || this.#bytes > MAX_LIST_BYTES;
    if (isFull)
      this.warn(
        `the list is larger than ${MAX_TOOLS} tools or ${MAX_LIST_BYTES} bytes; the rest was left out`,
      );
    return !isFull;
  }

  warn(text: string): void {
    if (this.warnings.length < MAX_WARNINGS) this.warnings.push(text);
  }

  #keep(definition: ToolDefinition): string | undefined {
    const bytes = Buffer.byteLength(JSON.stringify(definition));
    this.#bytes += bytes;
    if (bytes > MAX_DEFINITION_BYTES) {
      return `the definition of the tool ${shown(definition.name)} has ${bytes} bytes, more than ${MAX_DEFINITION_BYTES}; it was left out`;
    }
    const safe = mapTexts(definition, this.#redact);
    if (safe.name !== definition.name) return "a tool whose name holds a secret was left out";
    this.tools.set(safe.name, safe);
    return undefined;
  }
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
  const { name } = candidate;
  if (name.length > MAX_NAME_LENGTH || UNFIT_NAME.test(name)) {
    return `the tool ${shown(name)} was left out: a name has at most ${MAX_NAME_LENGTH} characters and none that control a terminal`;
  }
  if (known.has(name)) return `the tool ${shown(name)} is listed twice; the second was left out`;
  if (extentOf(candidate, MAX_DEPTH).tooDeep) {
    return `the definition of the tool ${shown(name)} is nested more than ${MAX_DEPTH} levels deep; it was left out`;
  }
  return undefined;
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
