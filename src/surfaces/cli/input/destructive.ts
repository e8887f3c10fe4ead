import type { Command } from "commander";
import type { Run, Shell } from "../shell.ts";
import { confirmed } from "./confirmed.ts";

type Body<P extends unknown[]> = (run: Run, ...params: P) => Promise<number | undefined>;

/**
 * Gives a command that deletes or revokes something its action: it asks first, unless `--yes` was given. `question`
 * gets what the body gets.
 */
export function destructive<P extends unknown[]>(
  command: Command,
  shell: Shell,
  question: (...params: P) => string,
  body: Body<P>,
): Command {
  return withYes(command).action(
    shell.action<P>(async (run, ...params) => {
      await mustConfirm(run, command.opts(), question(...params));
      return await body(run, ...params);
    }),
  );
}

/** For a command of which only one option deletes: its action calls `mustConfirm` itself. */
export function withYes(command: Command): Command {
  return command.option("--yes", "do not ask");
}

/** Resolves when the person is sure. Throws BAD_USAGE where nobody can be asked. */
export async function mustConfirm(
  run: Run,
  { yes }: { readonly yes?: boolean },
  question: string,
): Promise<void> {
  if (!yes) await confirmed(run, question, { no: "nothing was changed", initially: false });
}
