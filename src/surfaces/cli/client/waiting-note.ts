import { oneLine } from "../../../lib/terminal/printable.ts";
import type { QuestionList, QuestionView } from "../../api/contract.ts";
import type { Run } from "../shell.ts";

const LOOK_EVERY_MS = 2_000;

/**
 * While a call is under way, tells on standard error what its agent asks of people, and how to answer: the call may
 * wait for minutes for just that. Each question is told once. Looking never fails the call.
 */
export function noteQuestions(run: Run, agent: string): Disposable {
  const since = Date.now();
  const told = new Set<string>();
  const timer = setInterval(() => {
    newQuestions(run, agent, since).then(
      (questions) => {
        for (const question of questions) tell(run, question, told);
      },
      () => undefined,
    );
  }, LOOK_EVERY_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

async function newQuestions(run: Run, agent: string, since: number): Promise<QuestionView[]> {
  const { questions } = await run.get<QuestionList>("/api/questions?state=pending");
  return questions.filter((question) => question.agent === agent && question.createdAt >= since);
}

function tell({ terminal }: Run, { id, agent, prompt, kind }: QuestionView, told: Set<string>): void {
  if (told.has(id)) return;
  told.add(id);
  const wipe = terminal.interactive ? "\r\u001b[K" : "";
  const how = kind === "secret" ? id : `${id} TEXT`;
  terminal.err(
    `${wipe}${agent} asks: ${oneLine(prompt)}\n  Answer in another terminal: toolkeep question answer ${how}\n`,
  );
}
