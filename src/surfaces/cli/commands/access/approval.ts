import { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type { ApprovalAnswer, ApprovalList, ApprovalYes, QuestionView } from "../../../api/contract.ts";
import { oneLine } from "../../../daemon/log/printable.ts";
import { path, query } from "../../client/api-client.ts";
import { questionShown } from "../../input/ask-person.ts";
import { ago } from "../../print/duration.ts";
import { texts } from "../../print/table.ts";
import { examples, leaf, type Run, type Shell } from "../../shell.ts";

export function approvalCommand(shell: Shell): Command {
  const approval = new Command("approval").description("calls that a person must approve before they run");

  leaf(approval, "list", "list the calls that wait to be approved", "approval list")
    .option("--all", "answered ones too")
    .action(shell.action(listApprovals));
  leaf(approval, "show <id>", "show what would run, and how it was answered", "approval show qst_…").action(
    shell.action(showApproval),
  );
  examples(
    leaf(approval, "approve <id>", "let the call run, this once unless more is said")
      .option("--conversation", "and every call of the tool in the same conversation")
      .option("--always", "and every call of the tool by this agent from now on: writes a rule")
      .option(
        "--pattern <glob>",
        "with --always: only calls that fit, such as 'git *', '/tmp/**' or '{\"arg.repo\": \"mine\"}'",
      )
      .action(shell.action(approve)),
    "approval approve qst_…",
    "approval approve qst_… --always --pattern 'git status*'",
  );
  leaf(
    approval,
    "reject <id>",
    "keep the call from running",
    "approval reject qst_… --reason 'use the test account'",
  )
    .option("--reason <text>", "what the agent is told")
    .action(shell.action(reject));
  return approval;
}

async function listApprovals(run: Run, options: { all?: boolean }): Promise<undefined> {
  const { approvals } = await run.get<ApprovalList>(`/api/approvals${query({ all: options.all })}`);
  const none = options.all ? "Nothing had to be approved yet.\n" : "No calls wait to be approved.\n";
  run.print({ approvals }, approvals.map(approvalText).join("\n") || none);
}

async function showApproval(run: Run, id: string): Promise<undefined> {
  const answer = await run.get<ApprovalAnswer>(path`/api/approvals/${id}`);
  run.print(answer, approvalText(answer.approval));
}

interface ApproveOptions {
  readonly conversation?: boolean;
  readonly always?: boolean;
  readonly pattern?: string;
}

async function approve(run: Run, id: string, options: ApproveOptions): Promise<undefined> {
  const { conversation, always, pattern } = options;
  if (conversation && always)
    throw new ToolkeepError(
      "BAD_USAGE",
      "--conversation and --always say different things; give one of them",
    );
  if (pattern !== undefined && !always) throw new ToolkeepError("BAD_USAGE", "--pattern goes with --always");
  const body: ApprovalYes = {
    for: always ? "always" : conversation ? "conversation" : "once",
    ...(pattern === undefined ? {} : { pattern: patternIn(pattern) }),
  };
  const answer = await run.send<ApprovalAnswer>("POST", path`/api/approvals/${id}/approve`, body);
  const rules = answer.approval.settlement?.ruleIds ?? [];
  const written =
    rules.length === 0
      ? ""
      : `Written: ${rules.map((rule) => `rule ${rule}`).join(", ")}. Take it back: toolkeep rule remove ${rules[0]}\n`;
  run.print(
    answer,
    `Approved ${id}. The call runs when the agent makes it again, or at once where it waits.\n${written}`,
  );
}

/** A glob, or predicates as in a rule. */
function patternIn(text: string): NonNullable<ApprovalYes["pattern"]> {
  if (!text.trimStart().startsWith("{")) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new ToolkeepError("BAD_USAGE", `--pattern looks like JSON and is none; got ${text.slice(0, 200)}`);
  }
}

async function reject(run: Run, id: string, options: { reason?: string }): Promise<undefined> {
  const body = options.reason === undefined ? {} : { reason: options.reason };
  const answer = await run.send<ApprovalAnswer>("POST", path`/api/approvals/${id}/reject`, body);
  run.print(answer, `Rejected ${id}.\n`);
}

/** Nothing of it is cut: a person decides by it. */
function approvalText(approval: QuestionView): string {
  const { id, agent, state, createdAt, details, settlement, answer } = approval;
  const rule = typeof details.rule === "string" ? [`Asked by the rule ${oneLine(details.rule)}`] : [];
  const settled = settlement
    ? [
        `${oneLine(answer ?? "dismissed")} by ${oneLine(settlement.by)} (${settlement.from})${settlement.reason === undefined ? "" : `: ${oneLine(settlement.reason)}`}`,
      ]
    : [];
  return texts(`${id}  ${oneLine(agent)}, ${state}, ${ago(createdAt, Date.now())}`, [
    questionShown(approval),
    ...rule,
    ...settled,
    ...(state === "pending" ? [howTo(approval)] : []),
  ]);
}

function howTo({ id, details }: QuestionView): string {
  const lasting = Array.isArray(details.answers) && details.answers.includes("always");
  const more = lasting ? " [--conversation | --always [--pattern GLOB]]" : "";
  const whole =
    lasting && details.wholeToken === true ? "--conversation: all calls of it with this token.\n" : "";
  return `${whole}toolkeep approval approve ${id}${more}\ntoolkeep approval reject ${id} [--reason TEXT]`;
}
