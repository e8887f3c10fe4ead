import { ToolkeepError } from "../../../contract/errors.ts";
import { path } from "../../../lib/http/api-path.ts";
import { printable } from "../../../lib/terminal/printable.ts";
import type { AnswerInput, QuestionAnswer, QuestionList, QuestionView } from "../../api/contract.ts";
import type { Run } from "../shell.ts";

/** The pending question of this id. */
export async function pendingQuestion(run: Run, id: string): Promise<QuestionView | undefined> {
  const { questions } = await run.get<QuestionList>("/api/questions?state=pending");
  return questions.find((question) => question.id === id);
}

/** Puts a question to the person at this terminal, a secret unseen. Throws CANCELLED when they do not answer. */
export async function askPerson(question: QuestionView): Promise<string> {
  const { isCancel, password, select, text } = await import("@clack/prompts");
  const message = printable(`${question.agent} asks: ${questionShown(question)}`);
  const choices = choicesOf(question);
  // Standard output is for the answer of the tool and may be a file.
  const output = process.stderr;
  const answer = choices
    ? await select({ message, output, options: choices.map((value) => ({ value, label: printable(value) })) })
    : question.kind === "secret"
      ? await password({ message, output })
      : await text({ message, output });
  if (isCancel(answer)) {
    throw new ToolkeepError("CANCELLED", `no answer was given; ${question.id} still waits for one`);
  }
  return String(answer);
}

export function sendAnswer(run: Run, id: string, input: AnswerInput): Promise<QuestionAnswer> {
  return run.send<QuestionAnswer>("POST", path`/api/questions/${id}/answer`, input);
}

/** What it is about: of an approval the arguments too, of a tool what it does. */
export function questionShown({ prompt, kind, details }: QuestionView): string {
  if (kind === "approval" && Array.isArray(details.calls)) {
    const calls = details.calls.map((call) => `${call.tool} ${call.arguments}`);
    return [prompt, ...calls].join("\n");
  }
  const more = kind === "approval" ? details.arguments : kind === "access" ? details.description : undefined;
  return typeof more === "string" ? `${prompt}\n${more}` : prompt;
}

/** The answers that are taken, where not every text is. */
export function choicesOf({ kind, details }: QuestionView): readonly string[] | undefined {
  if (kind === "approval")
    return Array.isArray(details.answers) ? details.answers.map(String) : ["once", "reject"];
  if (kind === "access") return ["grant", "refuse"];
  return Array.isArray(details.choices) && details.choices.length > 0
    ? details.choices.map(String)
    : undefined;
}
