import { path } from "../../lib/http/api-path.ts";
import { ago } from "../../lib/terminal/ago.ts";
import { counted } from "../../lib/terminal/counted.ts";
import { oneLine } from "../../lib/terminal/printable.ts";
import { table } from "../../lib/terminal/table.ts";
import type { LabelList, LabelsCleared } from "../api/contract.ts";
import { asksFirst, withYes } from "./input/destructive.ts";
import type { Group, Run } from "./shell.ts";

/** What conversations have come in touch with, which rules with `after` look at. */
export function addLabelCommands(rule: Group): void {
  rule
    .leaf("labels", "list the conversations that have labels", listLabels, "--agent coder")
    .option("--agent <name>", "only those of this agent");
  withYes(
    rule
      .leaf(
        "clear-labels",
        "take labels away, of one conversation of an agent or of all",
        asksFirst(
          ({ agent, conversation }) =>
            `Take away the labels of ${conversation ?? "every conversation"} of ${agent}?`,
          clearLabels,
        ),
        "--agent coder",
      )
      .requiredOption("--agent <name>", "the agent")
      .option("--conversation <id>", "only of this conversation"),
  );
}

async function listLabels(run: Run, { agent }: { agent?: string }): Promise<undefined> {
  const list = await run.get<LabelList>(
    agent === undefined ? "/api/labels" : path`/api/labels?agent=${agent}`,
  );
  const rows = list.labelled.map((each) => [
    oneLine(each.agent),
    each.conversation === null ? "every call with a token" : oneLine(each.conversation),
    each.labels.join(", "),
    ago(each.labelledAt, Date.now()),
  ]);
  const none = "No conversation has labels.\n";
  const more = list.more ? "There are more; name an agent.\n" : "";
  const shown = table(["AGENT", "CONVERSATION", "LABELS", "LAST"], rows, run.terminal.columns);
  run.print(list, rows.length === 0 ? none : `${shown}${more}`);
}

async function clearLabels(
  run: Run,
  { agent, conversation }: { agent: string; conversation?: string },
): Promise<undefined> {
  const where =
    conversation === undefined
      ? path`/api/labels?agent=${agent}`
      : path`/api/labels?agent=${agent}&conversation=${conversation}`;
  const answer = await run.send<LabelsCleared>("DELETE", where);
  run.print(answer, `Cleared the labels of ${counted(answer.cleared, "conversation")}.\n`);
}
