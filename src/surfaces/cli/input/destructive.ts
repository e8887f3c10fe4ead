import type { Command } from "commander";
import type { Action, Group, Run } from "../shell.ts";
import { requireConfirmation } from "./confirm.ts";

/**
 * Wraps the body of a command that deletes or revokes something: it asks first, unless `--yes` was given (see
 * `withYes`). `question` gets the parameters of the body.
 */
export function asksFirst<P extends unknown[]>(
  question: (...params: P) => string,
  body: Action<P>,
): Action<P> {
  return async (run, ...params) => {
    await confirmUnlessYes(run, params.at(-1) as YesOption, question(...params));
    return await body(run, ...params);
  };
}

/** Adds a leaf that has no options but `--yes` and asks first. */
export function destructive<P extends unknown[]>(
  group: Group,
  usage: string,
  summary: string,
  question: (...params: P) => string,
  body: Action<P>,
  ...examples: readonly string[]
): Command {
  return withYes(group.leaf(usage, summary, asksFirst(question, body), ...examples));
}

/** Adds `--yes` to a command that asks first. */
export function withYes(command: Command): Command {
  return command.option("--yes", "Skip the confirmation");
}

interface YesOption {
  readonly yes?: boolean;
}

/** Resolves if `--yes` was given or the person says yes. Throws BAD_USAGE if nobody can be asked. */
export async function confirmUnlessYes(run: Run, { yes }: YesOption, question: string): Promise<void> {
  if (!yes)
    await requireConfirmation(run, question, {
      refused: "cancelled; nothing was changed",
      initialValue: false,
    });
}
