import type { Command } from "commander";
import type { Action, Group, Run } from "../shell.ts";
import { confirmed } from "./confirmed.ts";

/**
 * The body of a command that deletes or revokes something: it asks first, unless `--yes` was given (see `withYes`).
 * `question` gets what the body gets.
 */
export function asksFirst<P extends unknown[]>(
  question: (...params: P) => string,
  body: Action<P>,
): Action<P> {
  return async (run, ...params) => {
    await mustConfirm(run, params.at(-1) as Agreement, question(...params));
    return await body(run, ...params);
  };
}

/** A leaf without options of its own that asks first. */
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

/** For commands that ask before they delete. */
export function withYes(command: Command): Command {
  return command.option("--yes", "do not ask");
}

interface Agreement {
  readonly yes?: boolean;
}

/** Resolves when the person is sure. Throws BAD_USAGE where nobody can be asked. */
export async function mustConfirm(run: Run, { yes }: Agreement, question: string): Promise<void> {
  if (!yes) await confirmed(run, question, { no: "nothing was changed", initially: false });
}
