import type { Caller, Narrowing } from "../../contract/caller.ts";
import type { OutcomeError, OutcomeName, Tool, ToolStatus } from "../../contract/tool.ts";
import { nearest } from "../../lib/nearest.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { fitsContext, inScope, isWithheld, nameFor } from "./grants.ts";

/** Why a name did not resolve. */
export interface Refused {
  readonly outcome: Extract<
    OutcomeName,
    | "unknown_tool"
    | "ambiguous_tool"
    | "not_granted"
    | "disabled"
    | "pending_approval"
    | "unavailable"
    | "invalid_arguments"
  >;
  /** The tool that was meant, where one was. */
  readonly tool?: string;
  readonly error: OutcomeError;
}

export interface Lookup {
  /** Of every tool that is in question, by the name that the caller knows. */
  readonly byName: Pick<ReadonlyMap<string, Tool>, "get"> & { values(): Iterable<Tool> };
  readonly visible: () => readonly Tool[];
  readonly isGranted: (tool: Tool) => boolean;
}

/**
 * Finds the tool that `name` means to the caller. What the caller may not call is never suggested; its state is
 * told only to those it is granted to.
 */
export function resolveTool(name: string, caller: Caller, lookup: Lookup): Result<Tool, Refused> {
  const tool = lookup.byName.get(name) ?? lookup.byName.get(folded(name));
  // What is only announced stands in nobody's way.
  if (tool && tool.status().kind !== "planned") return usable(tool, caller, lookup);

  const own = lookup.visible().filter((candidate) => candidate.ownName === name);
  if (own.length === 1) return usable(own[0]!, caller, lookup);
  if (own.length > 1) return err(ambiguous(name, own));
  if (tool) return usable(tool, caller, lookup);

  const ungranted = [...lookup.byName.values()].filter((candidate) => candidate.ownName === name);
  if (ungranted.length === 1) return usable(ungranted[0]!, caller, lookup);
  if (ungranted.length > 1) return err(notGranted(name, caller));
  return err(unknown(name, caller, lookup));
}

/** The tool, where the caller has it and it is active. */
export function usable(tool: Tool, caller: Caller, lookup: Pick<Lookup, "isGranted">): Result<Tool, Refused> {
  if (!lookup.isGranted(tool)) return err(notGranted(tool.name, caller, tool));
  const status = tool.status();
  if (status.kind === "active") return ok(tool);
  return err({ outcome: outcomeOf(status), tool: tool.name, error: { message: status.reason } });
}

/** Why a tool is none of those that a turn began with; `now` is what its name means by now. */
export function notInTurn(
  name: string,
  now: Result<Tool, Refused>,
  then: Result<Tool, Refused>,
): Result<Tool, Refused> {
  // It went away during the turn: that it is back is for the next one.
  if (!then.ok && then.error.outcome === "unavailable") return then;
  if (!now.ok) return then.ok || then.error.outcome !== "unknown_tool" ? then : now;
  const message = `${JSON.stringify(name.slice(0, 100))} is new: it was not there when this turn began`;
  return err({ outcome: "unknown_tool", error: { message, remedy: "Call it in the next turn." } });
}

/** How a call of a tool that is not active ends. */
export function outcomeOf({ kind }: Exclude<ToolStatus, { kind: "active" }>): Refused["outcome"] {
  return kind === "planned" ? "unavailable" : kind;
}

/** Clients and models write `read-file` and `agent.list` for what is listed with `_`. */
function folded(name: string): string {
  return name.toLowerCase().replace(/[-.]/g, "_");
}

/** The explanation is worked out when somebody reads it: looking for the nearest name takes long where there are many. */
function unknown(name: string, caller: Caller, lookup: Lookup): Refused {
  return {
    outcome: "unknown_tool",
    get error() {
      return unknownError(name, caller, lookup);
    },
  };
}

function unknownError(name: string, caller: Caller, { visible }: Lookup): OutcomeError {
  const shown = JSON.stringify(name.slice(0, 100));
  const tools = visible();
  const byOwnName = () => {
    const own = nearest(name, new Set(tools.map((tool) => tool.ownName)));
    return tools.find((tool) => tool.ownName === own);
  };
  const guess =
    nearest(
      folded(name),
      tools.map((tool) => nameFor(tool, caller)),
    ) ?? ((own) => own && nameFor(own, caller))(byOwnName());
  return {
    message: `no tool is named ${shown}${guess ? `; did you mean ${guess}?` : ""}`,
    remedy: guess
      ? `Call ${guess}, or list the tools to see what there is.`
      : "List the tools to see what there is.",
    details: guess ? { nearest: guess } : {},
  };
}

function ambiguous(name: string, candidates: readonly Tool[]): Refused {
  const names = candidates.map((tool) => tool.name);
  return {
    outcome: "ambiguous_tool",
    error: {
      message: `${JSON.stringify(name)} could be any of ${names.join(", ")}`,
      remedy: "Call one of them by its full name.",
      details: { candidates: names },
    },
  };
}

function notGranted(name: string, caller: Caller, tool?: Tool): Refused {
  return {
    outcome: "not_granted",
    ...(tool ? { tool: tool.name } : {}),
    error: {
      message: `${name} is not granted to agent ${caller.agentName}${why(tool, caller)}`,
      remedy: remedy(name, tool, caller),
    },
  };
}

function why(tool: Tool | undefined, caller: Caller): string {
  if (tool && !fitsContext(tool, caller)) return `: ${outOfPlace(tool, caller)}`;
  if (tool && isWithheld(tool, caller))
    return ": toolkeep stdio gives no tools that write memories, fill the inbox or sync";
  if (tool && !inScope(tool, caller)) return `: this token lacks the scope ${tool.scope}`;
  return caller.narrowing ? ` at this address, which gives only ${narrowedTo(caller.narrowing)}` : "";
}

/** Why a tool is for others than the caller, whatever its toolboxes list. */
export function outOfPlace(
  { availability }: Pick<Tool, "availability">,
  caller: Pick<Caller, "context">,
): string {
  if (availability === "main") return "it is for main agents only";
  return caller.context === "scout"
    ? "it is not read-only, and scouts only look around"
    : "it is for sub-agents only";
}

function narrowedTo(narrowing: Narrowing): string {
  return "toolbox" in narrowing ? `the toolbox ${narrowing.toolbox}` : `the server ${narrowing.server}`;
}

function remedy(name: string, tool: Tool | undefined, caller: Caller): string {
  if (tool && !fitsContext(tool, caller)) return "Use another tool.";
  if (tool && isWithheld(tool, caller))
    return "A person may allow it with the setting stdio.writes, or connect the client to /mcp.";
  if (tool && !inScope(tool, caller)) return `Ask a person for a token with the scope ${tool.scope}.`;
  if (caller.narrowing)
    return "Use another tool; a person may connect the client to /mcp, which gives all of them.";
  return `Ask a person to add ${name} to a toolbox of this agent, or use another tool.`;
}
