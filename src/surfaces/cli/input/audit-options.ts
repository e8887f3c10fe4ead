import type { Command } from "commander";
import { ToolkeepError } from "../../../contract/errors.ts";
import type { ActionQuery, CallQuery } from "../../api/contract.ts";
import { parseDuration } from "../print/duration.ts";

export interface AuditOptions extends Omit<CallQuery & ActionQuery, "since" | "until"> {
  readonly since?: string;
  readonly until?: string;
  readonly actions?: boolean;
}

/** Which records are meant. */
export function withConditions(command: Command, { actions = true } = {}): Command {
  command
    .option("--agent <name>", "calls of this agent, or of operator")
    .option("--tool <name>", "calls of this tool")
    .option("--outcome <name>", "calls that ended so: ok, failed, denied …")
    .option("--decision <name>", "calls that the rules allow, ask about or deny")
    .option("--conversation <id>", "calls of this conversation")
    .option("--text <text>", "calls whose tool has this in its name")
    .option("--since <time>", "from then on: 2h, 7d or a date such as 2026-11-16T08:00Z")
    .option("--until <time>", "up to then");
  if (!actions) return command;
  return command
    .option("--actions", "not calls, but what people and Toolkeep did beside them")
    .option("--kind <name>", "actions of this kind: agent.created, or agent.* for all of them")
    .option("--actor <name>", "actions of this person or agent")
    .option("--subject <name>", "actions on this");
}

const OF_CALLS = ["agent", "tool", "outcome", "decision", "conversation", "text"] as const;
const OF_ACTIONS = ["kind", "actor", "subject"] as const;

/** As the API takes them. */
export function conditionsOf(options: AuditOptions): Record<string, string | number | undefined> {
  const [wanted, others] = options.actions ? [OF_ACTIONS, OF_CALLS] : [OF_CALLS, OF_ACTIONS];
  const misplaced = others.find((name) => options[name] !== undefined);
  if (misplaced)
    throw new ToolkeepError(
      "BAD_USAGE",
      options.actions ? `--${misplaced} is about calls, not --actions` : `--${misplaced} needs --actions`,
    );
  return {
    ...Object.fromEntries(wanted.map((name) => [name, options[name]])),
    since: moment(options.since),
    until: moment(options.until),
  };
}

/** A date, or so long ago. */
function moment(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+[a-z]+$/.test(text)) return Date.now() - parseDuration(text);
  const at = Date.parse(text);
  if (!Number.isNaN(at)) return at;
  throw new ToolkeepError("BAD_USAGE", `a time is 2h, 7d or a date; got ${JSON.stringify(text)}`);
}
