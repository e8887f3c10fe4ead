import type { Caller } from "../../contract/caller.ts";
import { CALL_TOOL } from "../catalog/call-tool-tool.ts";
import { TOOL_SEARCH } from "../search/find-tools.ts";
import type { ListUpdate } from "./listings.ts";

/** Tells a model how to call the tools that its search found. */
export function searchNotes(
  { areDeferred, retired, canForward }: ListUpdate,
  { host }: Pick<Caller, "host">,
): readonly string[] {
  if (!areDeferred && !host?.keepsList) return [];
  if (!canForward) return ["You can call them now, by their names."];
  const how = host?.keepsList
    ? `Call them with ${CALL_TOOL}: {"name": …, "arguments": {…}}.`
    : `You can call them now, by their names; where your list does not show them, with ${CALL_TOOL}.`;
  if (retired.length === 0) return [how];
  const names = retired.map(({ name }) => name).join(", ");
  return [
    how,
    `Your list is full. Removed from it, as the longest unused: ${names}. ${CALL_TOOL} still calls them, and ${TOOL_SEARCH} brings them back.`,
  ];
}
