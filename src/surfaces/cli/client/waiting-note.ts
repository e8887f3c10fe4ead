import { oneLine } from "../../../lib/terminal/printable.ts";
import type { QuestionList, QuestionView } from "../../api/contract.ts";
import type { Run } from "../shell.ts";

const POLL_MS = 2_000;

/**
 * While a call is running, prints new questions of its agent on standard error with how to answer them, since the call
 * may wait minutes for the answer. Each question is printed once. Errors while polling never fail the call.
 */
export function announceQuestions(run: Run, agent: string): Disposable {
  const since = Date.now();
  const announced = new Set<string>();
  const timer = setInterval(() => {
    findNewQuestions(run, agent, since).then(
      (questions) => {
        for (const question of questions) announceQuestion(run, question, announced);
      },
      () => undefined,
    );
  }, POLL_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

async function findNewQuestions(run: Run, agent: string, since: number): Promise<QuestionView[]> {
  const { questions } = await run.get<QuestionList>("/api/questions?state=pending");
  return questions.filter((question) => question.agent === agent && question.createdAt >= since);
}

function announceQuestion(
  { terminal }: Run,
  { id, agent, prompt, kind }: QuestionView,
  announced: Set<string>,
): void {
  if (announced.has(id)) return;
  announced.add(id);
  const wipe = terminal.interactive ? "\r\u001b[K" : "";
  const how = kind === "secret" ? id : `${id} TEXT`;
  terminal.err(
    `${wipe}${agent} asks: ${oneLine(prompt)}\n  Answer in another terminal: toolkeep question answer ${how}\n`,
  );
}
