import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import type { LeftOut } from "../../lib/text/left-out.ts";
import { isUnknownMethod } from "../connection/failure.ts";
import { type Entry, type ListKind, listAll } from "./bounded-list.ts";

/** A tool as its server published it; only `name` is checked. */
export type ToolDefinition = Entry<"name">;

export interface ToolList {
  readonly tools: readonly ToolDefinition[];
  /** The tools that were left out, with reasons for people. */
  readonly warnings: readonly string[];
  /** The first tools that were left out. */
  readonly leftOut?: readonly LeftOut[];
  /** When the server wants to be asked again; absent if it does not say. */
  readonly ttlMs?: number;
}

const TOOLS: ListKind<"name"> = {
  method: "tools/list",
  noun: "tool",
  key: "name",
  maxKeyLength: 256,
  isName: true,
  maxEntries: 10_000,
  maxEntryBytes: 256 * 1024,
  maxBytes: 16 * 1024 * 1024,
};

/**
 * Fetches all pages of `tools/list` and redacts secrets. Rejects if the server does; entries out of bounds are left out
 * with a warning.
 */
export async function listTools(
  client: Client,
  options: RequestOptions,
  redact: (text: string) => string,
): Promise<ToolList> {
  try {
    const { entries, ...rest } = await listAll(client, TOOLS, options, redact);
    return { tools: entries, ...rest };
  } catch (error) {
    if (hasNoTools(client, error)) return { tools: [], warnings: [] };
    throw error;
  }
}

function hasNoTools(client: Client, error: unknown): boolean {
  return client.getServerCapabilities()?.tools === undefined && isUnknownMethod(error);
}
