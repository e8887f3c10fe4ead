import type { Command } from "commander";
import { ToolkeepError } from "../../../contract/errors.ts";
import type { ActionQuery, CallQuery } from "../../api/contract.ts";
import { parseDuration } from "../print/duration.ts";

export interface AuditOptions extends Omit<CallQuery & ActionQuery, "since" | "until"> {
  readonly since?: string;
  readonly until?: string;
  readonly actions?: boolean;
}

/** Adds the options that filter records. */
export function addFilterOptions(command: Command, { actions = true } = {}): Command {
  command
    .option("--agent <name>", "Only calls of this agent, or of operator")
    .option("--tool <name>", "Only calls of this tool")
    .option("--outcome <name>", "Only calls with this outcome: ok, failed, denied …")
    .option("--decision <name>", "Only calls with this decision: allow, ask or deny")
    .option("--conversation <id>", "Only calls of this conversation")
    .option("--text <text>", "Only calls of tools with this text in their name")
    .option("--since <time>", "Only records since this time: 2h, 7d or a date such as 2026-11-16T08:00Z")
    .option("--until <time>", "Only records before this time");
  if (!actions) return command;
  return command
    .option("--actions", "Show what people and Toolkeep did instead of calls")
    .option("--kind <name>", "Only actions of this kind: agent.created, or agent.* for all about agents")
    .option("--actor <name>", "Only actions by this person or agent")
    .option("--subject <name>", "Only actions on this object");
}

const CALL_FILTERS = ["agent", "tool", "outcome", "decision", "conversation", "text"] as const;
const ACTION_FILTERS = ["kind", "actor", "subject"] as const;

/** The options as query parameters of the API. Throws BAD_USAGE for an option that does not fit. */
export function readFilters(options: AuditOptions): Record<string, string | number | undefined> {
  const [filters, others] = options.actions ? [ACTION_FILTERS, CALL_FILTERS] : [CALL_FILTERS, ACTION_FILTERS];
  const misplaced = others.find((name) => options[name] !== undefined);
  if (misplaced)
    throw new ToolkeepError(
      "BAD_USAGE",
      options.actions
        ? `--${misplaced} filters calls; it cannot be used with --actions`
        : `--${misplaced} filters actions; add --actions`,
    );
  return {
    ...Object.fromEntries(filters.map((name) => [name, options[name]])),
    since: parseTime(options.since),
    until: parseTime(options.until),
  };
}

/** Parses a date or a duration before now. */
function parseTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+[a-z]+$/.test(text)) return Date.now() - parseDuration(text);
  const at = Date.parse(text);
  if (!Number.isNaN(at)) return at;
  throw new ToolkeepError(
    "BAD_USAGE",
    `a time must be a duration such as 2h or 7d, or a date; got ${JSON.stringify(text)}`,
  );
}
