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
import {
  askPerson,
  findPendingQuestion,
  formatQuestion,
  listChoices,
  sendAnswer,
} from "../../input/ask-person.ts";
import type { Run, Shell } from "../../shell.ts";

const PATTERN_HELP = "only calls that match, such as 'git *', '/tmp/**' or '{\"arg.repo\": \"mine\"}'";

export function questionCommand(shell: Shell): Command {
  const question = shell.group("question", "Answer questions from agents, including approvals");

  question
    .leaf("list", "List unanswered questions", listQuestions, "", "--kind approval --state expired")
    .option("--all", "Include answered, dismissed and expired questions")
    .option(
      "--state <state>",
      "Only questions in this state: pending, answered, used, dismissed, expired or settled",
    )
    .option("--kind <kind>", "Only questions of this kind: approval, access, secret, human or parent")
    .option("--agent <name>", "Only questions of this agent");
  question.leaf("show <id>", "Show a question and its answer", showQuestion, "qst_…");
  question
    .leaf(
      "answer <id> [text]",
      "Answer a question, so that the agent's call continues",
      answerQuestion,
      "qst_… 'use the second one'",
      "qst_… --stdin < secret.txt",
      "qst_… always --pattern 'git status*'",
      "qst_… reject --reason 'use the test account'",
    )
    .option("--stdin", "Read the answer from standard input, for secrets")
    .option("--reason <text>", "With reject: reason to tell the agent")
    .option("--pattern <glob>", `With always: ${PATTERN_HELP}`);
  question.leaf("dismiss <id>", "Tell the agent that nobody will answer", dismissQuestion, "qst_…");
  return question;
}

/** `toolkeep question` for approvals, with one subcommand for each answer. */
export function approvalCommand(shell: Shell): Command {
  const approval = shell.group("approval", "Approve or reject calls before they run");

  approval
    .leaf("list", "List calls waiting for approval", listApprovals)
    .option("--all", "Include answered ones");
  approval.leaf("show <id>", "Show a call and its answer", showApproval, "qst_…");
  approval
    .leaf(
      "approve <id>",
      "Approve a call, once by default",
      approve,
      "qst_…",
      "qst_… --always --pattern 'git status*'",
    )
    .option("--conversation", "Also approve all calls of this tool in the same conversation")
    .option("--always", "Also approve all future calls of this tool by this agent (adds a rule)")
    .option("--pattern <glob>", `With --always: ${PATTERN_HELP}`);
  approval
    .leaf("reject <id>", "Reject a call", reject, "qst_… --reason 'use the test account'")
    .option("--reason <text>", "Reason to tell the agent");
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
    throw new ToolkeepError("BAD_USAGE", "--all and --state contradict each other; give only one");
  const only = { state: all ? undefined : (state ?? "pending"), kind, agent };
  const { questions } = await run.get<QuestionList>(`/api/questions${query(only)}`);
  const isNarrowed = [state, kind, agent].some((given) => given !== undefined);
  const emptyText = isNarrowed
    ? "No matching questions.\n"
    : all
      ? "No questions yet.\n"
      : "No unanswered questions.\n";
  run.print({ questions }, questions.map(formatQuestionEntry).join("\n") || emptyText);
}

async function showQuestion(run: Run, id: string): Promise<undefined> {
  const review = await run.get<QuestionReview>(path`/api/questions/${id}`);
  run.print(review, formatQuestionEntry(review.question));
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
    ...(pattern !== undefined && { pattern: parsePattern(pattern) }),
  });
  run.print(
    answer,
    `Answered ${id}. The agent's call continues; if it gave up, the answer is used when the agent calls again.\n${formatWrittenRules(answer)}`,
  );
}

async function dismissQuestion(run: Run, id: string): Promise<undefined> {
  const answer = await run.send<QuestionAnswer>("POST", path`/api/questions/${id}/dismiss`);
  run.print(answer, `Dismissed ${id}.\n`);
}

async function listApprovals(run: Run, { all }: { all?: boolean }): Promise<undefined> {
  const filter = { kind: "approval", ...(all ? {} : { state: "pending" }) };
  const { questions: approvals } = await run.get<QuestionList>(`/api/questions${query(filter)}`);
  const emptyText = all ? "No approvals yet.\n" : "No calls are waiting for approval.\n";
  run.print({ approvals }, approvals.map(formatApproval).join("\n") || emptyText);
}

async function showApproval(run: Run, id: string): Promise<undefined> {
  const approval = await getApproval(run, id);
  run.print({ approval }, formatApproval(approval));
}

interface ApproveOptions {
  readonly conversation?: boolean;
  readonly always?: boolean;
  readonly pattern?: string;
}

async function approve(run: Run, id: string, options: ApproveOptions): Promise<undefined> {
  const { conversation, always, pattern } = options;
  if (conversation && always)
    throw new ToolkeepError("BAD_USAGE", "--conversation and --always contradict each other; give only one");
  if (pattern !== undefined && !always) throw new ToolkeepError("BAD_USAGE", "--pattern needs --always");
  const input: AnswerInput = {
    answer: always ? "always" : conversation ? "conversation" : "once",
    ...(pattern !== undefined && { pattern: parsePattern(pattern) }),
  };
  await getApproval(run, id);
  const answer = await sendAnswer(run, id, input);
  run.print(
    { approval: answer.question },
    `Approved ${id}. The call runs now if the agent is waiting, otherwise when it calls again.\n${formatWrittenRules(answer)}`,
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

/** Throws NOT_FOUND for other kinds of questions, for which "once" would be an ordinary text answer. */
async function getApproval(run: Run, id: string): Promise<QuestionView> {
  const { question } = await run.get<QuestionReview>(path`/api/questions/${id}`);
  if (question.kind === "approval") return question;
  throw new ToolkeepError("NOT_FOUND", `no approval has the id ${id}`, {
    remedy: "Run `toolkeep approval list`.",
  });
}

/** Parses a glob, or JSON predicates as in a rule. */
function parsePattern(text: string): NonNullable<AnswerInput["pattern"]> {
  if (!text.trimStart().startsWith("{")) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new ToolkeepError(
      "BAD_USAGE",
      `--pattern looks like JSON but does not parse; got ${text.slice(0, 200)}`,
    );
  }
}

function formatWrittenRules({ question }: QuestionAnswer): string {
  const rules = question.settlement?.ruleIds ?? [];
  if (rules.length === 0) return "";
  return `Added ${rules.map((rule) => `rule ${rule}`).join(", ")}. To undo: toolkeep rule remove ${rules[0]}\n`;
}

function formatQuestionEntry(question: QuestionView): string {
  const { id, kind } = question;
  const how = listChoices(question)?.map(oneLine).join(" | ") ?? (kind === "secret" ? "" : "TEXT");
  return formatFacts(question, `${kind}, `, `Answer: toolkeep question answer ${id} ${how}`.trimEnd());
}

function formatApproval(approval: QuestionView): string {
  const { id, details } = approval;
  const canBeLasting = Array.isArray(details.answers) && details.answers.includes("always");
  const more = canBeLasting ? " [--conversation | --always [--pattern GLOB]]" : "";
  const tokenNote =
    canBeLasting && details.wholeToken === true
      ? "--conversation covers all calls of this tool with this token.\n"
      : "";
  return formatFacts(
    approval,
    "",
    `${tokenNote}toolkeep approval approve ${id}${more}\ntoolkeep approval reject ${id} [--reason TEXT]`,
  );
}

/** Nothing is shortened, because a person decides by this text. */
function formatFacts(question: QuestionView, kind: string, howToAnswer: string): string {
  const { id, agent, state, createdAt, details, settlement, answer } = question;
  const rule = typeof details.rule === "string" ? [`Asked because of rule ${oneLine(details.rule)}`] : [];
  const settled = settlement
    ? [
        `${oneLine(answer ?? "dismissed")} by ${oneLine(settlement.by)} (${settlement.from})${settlement.reason === undefined ? "" : `: ${oneLine(settlement.reason)}`}`,
      ]
    : [];
  return texts(`${id}  ${oneLine(agent)}, ${kind}${state}, ${ago(createdAt, Date.now())}`, [
    formatQuestion(question),
    ...rule,
    ...settled,
    ...(state === "pending" ? [howToAnswer] : []),
  ]);
}

/** Asks the person if no text was given, so that secrets stay out of the shell's history. */
async function readAnswerText(
  run: Run,
  id: string,
  text: string | undefined,
  stdin: boolean,
): Promise<string> {
  if (text !== undefined) return text;
  if (stdin) return (await run.terminal.read()).replace(/\r?\n$/, "");
  if (!run.terminal.interactive) {
    throw new ToolkeepError("BAD_USAGE", `no answer to ${id} given; pass it as text or with --stdin`);
  }
  const question = await findPendingQuestion(run, id);
  if (!question) {
    throw new ToolkeepError("NOT_FOUND", `no pending question has the id ${id}; see toolkeep question list`);
  }
  return askPerson(question);
}
