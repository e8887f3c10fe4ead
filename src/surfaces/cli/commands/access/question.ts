import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { path, query } from "../../../../lib/http/api-path.ts";
import { ago } from "../../../../lib/terminal/ago.ts";
import { oneLine } from "../../../../lib/terminal/printable.ts";
import { texts } from "../../../../lib/terminal/table.ts";
import type {
  AnswerInput,
  QuestionAnswer,
  QuestionList,
  QuestionReview,
  QuestionView,
} from "../../../api/contract.ts";
import { askPerson, choicesOf, pendingQuestion, questionShown, sendAnswer } from "../../input/ask-person.ts";
import type { Run, Shell } from "../../shell.ts";

const PATTERN = "only calls that fit, such as 'git *', '/tmp/**' or '{\"arg.repo\": \"mine\"}'";

export function questionCommand(shell: Shell): Command {
  const question = shell.group("question", "what agents ask of people, approvals included");

  question
    .leaf(
      "list",
      "list the questions that wait for an answer",
      listQuestions,
      "",
      "--kind approval --state expired",
    )
    .option("--all", "answered, dismissed and expired ones too")
    .option("--state <state>", "pending, answered, used, dismissed, expired or settled")
    .option("--kind <kind>", "approval, access, secret, human or parent")
    .option("--agent <name>", "of this agent only");
  question.leaf("show <id>", "show what is asked, and how it was answered", showQuestion, "qst_…");
  question
    .leaf(
      "answer <id> [text]",
      "answer a question; the agent's call goes on",
      answerQuestion,
      "qst_… 'use the second one'",
      "qst_… --stdin < secret.txt",
      "qst_… always --pattern 'git status*'",
      "qst_… reject --reason 'use the test account'",
    )
    .option("--stdin", "read the answer from standard input, for secrets")
    .option("--reason <text>", "with reject: what the agent is told")
    .option("--pattern <glob>", `with always: ${PATTERN}`);
  question.leaf("dismiss <id>", "tell the agent that nobody will answer", dismissQuestion, "qst_…");
  return question;
}

/** `toolkeep question` for those of the kind approval, with a word for each answer. */
export function approvalCommand(shell: Shell): Command {
  const approval = shell.group("approval", "calls that a person must approve before they run");

  approval
    .leaf("list", "list the calls that wait to be approved", listApprovals)
    .option("--all", "answered ones too");
  approval.leaf("show <id>", "show what would run, and how it was answered", showApproval, "qst_…");
  approval
    .leaf(
      "approve <id>",
      "let the call run, this once unless more is said",
      approve,
      "qst_…",
      "qst_… --always --pattern 'git status*'",
    )
    .option("--conversation", "and every call of the tool in the same conversation")
    .option("--always", "and every call of the tool by this agent from now on: writes a rule")
    .option("--pattern <glob>", `with --always: ${PATTERN}`);
  approval
    .leaf("reject <id>", "keep the call from running", reject, "qst_… --reason 'use the test account'")
    .option("--reason <text>", "what the agent is told");
  return approval;
}

interface ListOptions {
  readonly all?: boolean;
  readonly state?: string;
  readonly kind?: string;
  readonly agent?: string;
}

async function listQuestions(run: Run, { all, state, kind, agent }: ListOptions): Promise<undefined> {
  if (all && state !== undefined)
    throw new ToolkeepError("BAD_USAGE", "--all and --state say different things; give one of them");
  const only = { state: all ? undefined : (state ?? "pending"), kind, agent };
  const { questions } = await run.get<QuestionList>(`/api/questions${query(only)}`);
  const isNarrowed = [state, kind, agent].some((given) => given !== undefined);
  const none = isNarrowed
    ? "There are no such questions.\n"
    : all
      ? "Nobody has asked anything yet.\n"
      : "No questions wait for an answer.\n";
  run.print({ questions }, questions.map(questionText).join("\n") || none);
}

async function showQuestion(run: Run, id: string): Promise<undefined> {
  const review = await run.get<QuestionReview>(path`/api/questions/${id}`);
  run.print(review, questionText(review.question));
}

async function answerQuestion(
  run: Run,
  id: string,
  text: string | undefined,
  { stdin, reason, pattern }: { stdin?: boolean; reason?: string; pattern?: string },
): Promise<undefined> {
  const answer = await sendAnswer(run, id, {
    answer: await readAnswerText(run, id, text, stdin === true),
    ...(reason !== undefined && { reason }),
    ...(pattern !== undefined && { pattern: patternIn(pattern) }),
  });
  run.print(
    answer,
    `Answered ${id}. The agent's call goes on; one that gave up picks it up when made again.\n${rulesWritten(answer)}`,
  );
}

async function dismissQuestion(run: Run, id: string): Promise<undefined> {
  const answer = await run.send<QuestionAnswer>("POST", path`/api/questions/${id}/dismiss`);
  run.print(answer, `Dismissed ${id}.\n`);
}

async function listApprovals(run: Run, { all }: { all?: boolean }): Promise<undefined> {
  const filter = { kind: "approval", ...(all ? {} : { state: "pending" }) };
  const { questions: approvals } = await run.get<QuestionList>(`/api/questions${query(filter)}`);
  const none = all ? "Nothing had to be approved yet.\n" : "No calls wait to be approved.\n";
  run.print({ approvals }, approvals.map(approvalText).join("\n") || none);
}

async function showApproval(run: Run, id: string): Promise<undefined> {
  const approval = await getApproval(run, id);
  run.print({ approval }, approvalText(approval));
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
  const input: AnswerInput = {
    answer: always ? "always" : conversation ? "conversation" : "once",
    ...(pattern !== undefined && { pattern: patternIn(pattern) }),
  };
  await getApproval(run, id);
  const answer = await sendAnswer(run, id, input);
  run.print(
    { approval: answer.question },
    `Approved ${id}. The call runs when the agent makes it again, or at once where it waits.\n${rulesWritten(answer)}`,
  );
}

async function reject(run: Run, id: string, { reason }: { reason?: string }): Promise<undefined> {
  await getApproval(run, id);
  const { question } = await sendAnswer(run, id, {
    answer: "reject",
    ...(reason !== undefined && { reason }),
  });
  run.print({ approval: question }, `Rejected ${id}.\n`);
}

/** Throws NOT_FOUND for a question that is none: "once" could be the answer to any. */
async function getApproval(run: Run, id: string): Promise<QuestionView> {
  const { question } = await run.get<QuestionReview>(path`/api/questions/${id}`);
  if (question.kind === "approval") return question;
  throw new ToolkeepError("NOT_FOUND", `There is no approval ${id}.`, {
    remedy: "toolkeep approval list shows those that wait.",
  });
}

/** A glob, or predicates as in a rule. */
function patternIn(text: string): NonNullable<AnswerInput["pattern"]> {
  if (!text.trimStart().startsWith("{")) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new ToolkeepError("BAD_USAGE", `--pattern looks like JSON and is none; got ${text.slice(0, 200)}`);
  }
}

function rulesWritten({ question }: QuestionAnswer): string {
  const rules = question.settlement?.ruleIds ?? [];
  if (rules.length === 0) return "";
  return `Written: ${rules.map((rule) => `rule ${rule}`).join(", ")}. Take it back: toolkeep rule remove ${rules[0]}\n`;
}

function questionText(question: QuestionView): string {
  const { id, kind } = question;
  const how = choicesOf(question)?.map(oneLine).join(" | ") ?? (kind === "secret" ? "" : "TEXT");
  return factsText(question, `${kind}, `, `Answer it: toolkeep question answer ${id} ${how}`.trimEnd());
}

function approvalText(approval: QuestionView): string {
  const { id, details } = approval;
  const lasting = Array.isArray(details.answers) && details.answers.includes("always");
  const more = lasting ? " [--conversation | --always [--pattern GLOB]]" : "";
  const whole =
    lasting && details.wholeToken === true ? "--conversation: all calls of it with this token.\n" : "";
  return factsText(
    approval,
    "",
    `${whole}toolkeep approval approve ${id}${more}\ntoolkeep approval reject ${id} [--reason TEXT]`,
  );
}

/** Nothing of it is cut: a person decides by it. */
function factsText(question: QuestionView, kind: string, howToAnswer: string): string {
  const { id, agent, state, createdAt, details, settlement, answer } = question;
  const rule = typeof details.rule === "string" ? [`Asked by the rule ${oneLine(details.rule)}`] : [];
  const settled = settlement
    ? [
        `${oneLine(answer ?? "dismissed")} by ${oneLine(settlement.by)} (${settlement.from})${settlement.reason === undefined ? "" : `: ${oneLine(settlement.reason)}`}`,
      ]
    : [];
  return texts(`${id}  ${oneLine(agent)}, ${kind}${state}, ${ago(createdAt, Date.now())}`, [
    questionShown(question),
    ...rule,
    ...settled,
    ...(state === "pending" ? [howToAnswer] : []),
  ]);
}

/** A secret typed as an argument would stay in the shell's history, so a person is asked for it instead. */
async function readAnswerText(
  run: Run,
  id: string,
  text: string | undefined,
  stdin: boolean,
): Promise<string> {
  if (text !== undefined) return text;
  if (stdin) return (await run.terminal.read()).replace(/\r?\n$/, "");
  if (!run.terminal.interactive) {
    throw new ToolkeepError("BAD_USAGE", `the answer to ${id} is missing: give it as text, or with --stdin`);
  }
  const question = await pendingQuestion(run, id);
  if (!question) {
    throw new ToolkeepError("NOT_FOUND", `no question ${id} waits for an answer; see toolkeep question list`);
  }
  return askPerson(question);
}
