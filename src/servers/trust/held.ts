import type { Settings } from "../../machine/config/settings.ts";
import type { PinRecord } from "../../machine/db/tables/sources/pin-record.ts";
import type { Definition } from "../lifecycle/definition.ts";
import { isPinned } from "./is-pinned.ts";
import type { Pins } from "./pins.ts";

const NONE: ReadonlyMap<string, PinRecord> = new Map();

/** What is kept back of a server as it is defined now. */
export function heldOf(
  { definition }: { readonly definition: Definition },
  settings: Pick<Settings, "mcp">,
  pins: Pick<Pins, "heldOf">,
): ReadonlyMap<string, PinRecord> {
  return isPinned(definition, settings) ? pins.heldOf(definition.record.id) : NONE;
}

/** What callers are told of a tool that waits for a person: nothing that its server said. */
export function heldReason(server: string): string {
  return `mcp server ${server} changed or added this tool, and nobody has accepted it yet: toolkeep server changes ${server}`;
}
