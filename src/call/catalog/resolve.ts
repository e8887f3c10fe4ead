import type { Caller, Narrowing } from "../../contract/caller.ts";
import type { OutcomeError, OutcomeName, Tool, ToolStatus } from "../../contract/tool.ts";
import { nearest } from "../../lib/nearest.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { fitsContext, isInScope, isWithheld, nameFor } from "./grants.ts";

/** Why a name did not resolve. */
export interface Refusal {
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
  /** The tool that the name means, where it means one. */
  readonly tool?: string;
  readonly error: OutcomeError;
}

export interface Lookup {
  /** Every tool in question, by the name that the caller knows. */
  readonly byName: Pick<ReadonlyMap<string, Tool>, "get"> & { values(): Iterable<Tool> };
  readonly visible: () => readonly Tool[];
  readonly isGranted: (tool: Tool) => boolean;
}

/**
 * Finds the tool that `name` means to the caller. Tools that the caller may not call are never suggested, and only
 * callers to whom a tool is granted learn its state.
 */
export function resolveTool(name: string, caller: Caller, lookup: Lookup): Result<Tool, Refusal> {
  const tool = lookup.byName.get(name) ?? lookup.byName.get(foldName(name));
  // An announced tool must not shadow one that exists.
  if (tool && tool.status().kind !== "planned") return checkUsable(tool, caller, lookup);

  const own = lookup.visible().filter((candidate) => candidate.ownName === name);
  if (own.length === 1) return checkUsable(own[0]!, caller, lookup);
  if (own.length > 1) return err(ambiguousRefusal(name, own));
  if (tool) return checkUsable(tool, caller, lookup);

  const ungranted = [...lookup.byName.values()].filter((candidate) => candidate.ownName === name);
  if (ungranted.length === 1) return checkUsable(ungranted[0]!, caller, lookup);
  if (ungranted.length > 1) return err(notGrantedRefusal(name, caller));
  return err(unknownRefusal(name, caller, lookup));
}

/** The tool, if it is granted to the caller and active. */
export function checkUsable(
  tool: Tool,
  caller: Caller,
  lookup: Pick<Lookup, "isGranted">,
): Result<Tool, Refusal> {
  if (!lookup.isGranted(tool)) return err(notGrantedRefusal(tool.name, caller, tool));
  const status = tool.status();
  if (status.kind === "active") return ok(tool);
  return err({ outcome: outcomeOf(status), tool: tool.name, error: { message: status.reason } });
}

/**
 * Refuses a tool that its turn did not begin with. `now` is what the name resolves to now, `then` what it did in the
 * turn.
 */
export function refuseOutsideTurn(
  name: string,
  now: Result<Tool, Refusal>,
  then: Result<Tool, Refusal>,
): Result<Tool, Refusal> {
  // It became unavailable during the turn; if it is back, that counts for the next turn.
  if (!then.ok && then.error.outcome === "unavailable") return then;
  if (!now.ok) return then.ok || then.error.outcome !== "unknown_tool" ? then : now;
  const message = `${JSON.stringify(name.slice(0, 100))} is new: it did not exist when this turn began`;
  return err({ outcome: "unknown_tool", error: { message, remedy: "Call it in the next turn." } });
}

/** How a call of a tool that is not active ends. */
export function outcomeOf({ kind }: Exclude<ToolStatus, { kind: "active" }>): Refusal["outcome"] {
  return kind === "planned" ? "unavailable" : kind;
}

/** Clients and models write `read-file` and `agent.list` for names that are listed with `_`. */
function foldName(name: string): string {
  return name.toLowerCase().replace(/[-.]/g, "_");
}

/** Computes the explanation only when it is read: finding the nearest name is slow where there are many. */
function unknownRefusal(name: string, caller: Caller, lookup: Lookup): Refusal {
  return {
    outcome: "unknown_tool",
    get error() {
      return unknownError(name, caller, lookup);
    },
  };
}

function unknownError(name: string, caller: Caller, { visible }: Lookup): OutcomeError {
  const quoted = JSON.stringify(name.slice(0, 100));
  const tools = visible();
  const byOwnName = () => {
    const own = nearest(name, new Set(tools.map((tool) => tool.ownName)));
    return tools.find((tool) => tool.ownName === own);
  };
  const guess =
    nearest(
      foldName(name),
      tools.map((tool) => nameFor(tool, caller)),
    ) ?? ((own) => own && nameFor(own, caller))(byOwnName());
  return {
    message: `no tool is named ${quoted}${guess ? `; did you mean ${guess}?` : ""}`,
    remedy: guess
      ? `Call ${guess}, or list the tools to see which exist.`
      : "List the tools to see which exist.",
    details: guess ? { nearest: guess } : {},
  };
}

function ambiguousRefusal(name: string, candidates: readonly Tool[]): Refusal {
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

function notGrantedRefusal(name: string, caller: Caller, tool?: Tool): Refusal {
  return {
    outcome: "not_granted",
    ...(tool ? { tool: tool.name } : {}),
    error: {
      message: `${name} is not granted to agent ${caller.agentName}${explainNotGranted(tool, caller)}`,
      remedy: remedyFor(name, tool, caller),
    },
  };
}

function explainNotGranted(tool: Tool | undefined, caller: Caller): string {
  if (tool && !fitsContext(tool, caller)) return `: ${contextMismatch(tool, caller)}`;
  if (tool && isWithheld(tool, caller))
    return ": toolkeep stdio gives no tools that write memories, fill the inbox or sync";
  if (tool && !isInScope(tool, caller)) return `: this token lacks the scope ${tool.scope}`;
  return caller.narrowing ? ` at this address, which gives only ${describeNarrowing(caller.narrowing)}` : "";
}

/** Why a tool does not fit the caller's context, whatever its toolboxes list. */
export function contextMismatch(
  { availability }: Pick<Tool, "availability">,
  caller: Pick<Caller, "context">,
): string {
  if (availability === "main") return "it is for main agents only";
  return caller.context === "scout"
    ? "it is not read-only, and scouts only look around"
    : "it is for sub-agents only";
}

function describeNarrowing(narrowing: Narrowing): string {
  return "toolbox" in narrowing ? `the toolbox ${narrowing.toolbox}` : `the server ${narrowing.server}`;
}

function remedyFor(name: string, tool: Tool | undefined, caller: Caller): string {
  if (tool && !fitsContext(tool, caller)) return "Use another tool.";
  if (tool && isWithheld(tool, caller))
    return "A person may allow it with the setting stdio.writes, or connect the client to /mcp.";
  if (tool && !isInScope(tool, caller)) return `Ask a person for a token with the scope ${tool.scope}.`;
  if (caller.narrowing)
    return "Use another tool; a person may connect the client to /mcp, which gives all of them.";
  return `Ask a person to add ${name} to a toolbox of this agent, or use another tool.`;
}
