import { path } from "../../lib/http/api-path.ts";
import { ago } from "../../lib/terminal/ago.ts";
import { counted } from "../../lib/terminal/counted.ts";
import { oneLine } from "../../lib/terminal/printable.ts";
import { table } from "../../lib/terminal/table.ts";
import type { LabelList, LabelsCleared } from "../api/contract.ts";
import { asksFirst, withYes } from "./input/destructive.ts";
import type { Group, Run } from "./shell.ts";

/** Commands for the labels of conversations, which rules with `after` depend on. */
export function addLabelCommands(rule: Group): void {
  rule
    .leaf("labels", "List conversations with labels", listLabels, "--agent coder")
    .option("--agent <name>", "Only conversations of this agent");
  withYes(
    rule
      .leaf(
        "clear-labels",
        "Clear the labels of one or all conversations of an agent",
        asksFirst(
          ({ agent, conversation }) =>
            `Clear the labels of ${conversation ?? "every conversation"} of ${agent}?`,
          clearLabels,
        ),
        "--agent coder",
      )
      .requiredOption("--agent <name>", "Agent whose labels to clear")
      .option("--conversation <id>", "Only this conversation"),
  );
}

async function listLabels(run: Run, { agent }: { agent?: string }): Promise<undefined> {
  const list = await run.get<LabelList>(
    agent === undefined ? "/api/labels" : path`/api/labels?agent=${agent}`,
  );
  const rows = list.labelled.map((each) => [
    oneLine(each.agent),
    each.conversation === null ? "all calls with its token" : oneLine(each.conversation),
    each.labels.join(", "),
    ago(each.labelledAt, Date.now()),
  ]);
  const emptyText = "No conversation has labels.\n";
  const more = list.more ? "There are more. Narrow the list with --agent.\n" : "";
  const rendered = table(["AGENT", "CONVERSATION", "LABELS", "LAST"], rows, run.terminal.columns);
  run.print(list, rows.length === 0 ? emptyText : `${rendered}${more}`);
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
