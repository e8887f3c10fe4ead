import { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type { QuestionAnswer, QuestionList, QuestionView } from "../../../api/contract.ts";
import { oneLine } from "../../../daemon/log/printable.ts";
import { path, query } from "../../client/api-client.ts";
import { askPerson, choicesOf, pendingQuestion, questionShown, sendAnswer } from "../../input/ask-person.ts";
import { ago } from "../../print/duration.ts";
import { texts } from "../../print/table.ts";
import { examples, leaf, type Run, type Shell } from "../../shell.ts";

export function questionCommand(shell: Shell): Command {
  const question = new Command("question").description("what agents ask of people");

  leaf(question, "list", "list the questions that wait for an answer", "question list")
    .option("--all", "answered and dismissed ones too")
    .action(shell.action(listQuestions));
  examples(
    leaf(question, "answer <id> [text]", "answer a question; the agent's call goes on")
      .option("--stdin", "read the answer from standard input, for secrets")
      .action(shell.action(answerQuestion)),
    "question answer qst_… 'use the second one'",
    "question answer qst_… --stdin < secret.txt",
  );
  leaf(question, "dismiss <id>", "tell the agent that nobody will answer", "question dismiss qst_…").action(
    shell.action(dismissQuestion),
  );
  return question;
}

async function listQuestions(run: Run, options: { all?: boolean }): Promise<undefined> {
  const { questions } = await run.get<QuestionList>(
    `/api/questions${query({ state: options.all ? undefined : "pending" })}`,
  );
  const none = options.all ? "Nobody has asked anything yet.\n" : "No questions wait for an answer.\n";
  run.print({ questions }, questions.map(questionText).join("\n") || none);
}

/** Nothing of it is cut: a person decides by it. */
function questionText(question: QuestionView): string {
  const { id, agent, kind, state, createdAt } = question;
  const how = choicesOf(question)?.map(oneLine).join(" | ") ?? (kind === "secret" ? "" : "TEXT");
  const next = state === "pending" ? [`Answer it: toolkeep question answer ${id} ${how}`.trimEnd()] : [];
  return texts(`${id}  ${oneLine(agent)}, ${kind}, ${state}, ${ago(createdAt, Date.now())}`, [
    questionShown(question),
    ...next,
  ]);
}

async function answerQuestion(
  run: Run,
  id: string,
  text: string | undefined,
  options: { stdin?: boolean },
): Promise<undefined> {
  const answer = await sendAnswer(run, id, await readAnswerText(run, id, text, options.stdin === true));
  run.print(
    answer,
    `Answered ${id}. The agent's call goes on; one that gave up picks it up when made again.\n`,
  );
}

async function dismissQuestion(run: Run, id: string): Promise<undefined> {
  const answer = await run.send<QuestionAnswer>("POST", `${path`/api/questions/${id}`}/dismiss`);
  run.print(answer, `Dismissed ${id}.\n`);
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
