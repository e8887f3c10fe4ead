import { ToolkeepError } from "../../../contract/errors.ts";
import { path } from "../../../lib/http/api-path.ts";
import { printable } from "../../../lib/terminal/printable.ts";
import type { AnswerInput, QuestionAnswer, QuestionList, QuestionView } from "../../api/contract.ts";
import type { Run } from "../shell.ts";

/** The pending question with this id. */
export async function findPendingQuestion(run: Run, id: string): Promise<QuestionView | undefined> {
  const { questions } = await run.get<QuestionList>("/api/questions?state=pending");
  return questions.find((question) => question.id === id);
}

/** Asks the person at this terminal; input for secrets is hidden. Throws CANCELLED if they do not answer. */
export async function askPerson(question: QuestionView): Promise<string> {
  const { isCancel, password, select, text } = await import("@clack/prompts");
  const message = printable(`${question.agent} asks: ${formatQuestion(question)}`);
  const choices = listChoices(question);
  // Standard output is for the tool's answer and may be a file.
  const output = process.stderr;
  const answer = choices
    ? await select({ message, output, options: choices.map((value) => ({ value, label: printable(value) })) })
    : question.kind === "secret"
      ? await password({ message, output })
      : await text({ message, output });
  if (isCancel(answer)) {
    throw new ToolkeepError("CANCELLED", `no answer given; ${question.id} is still waiting`);
  }
  return String(answer);
}

export function sendAnswer(run: Run, id: string, input: AnswerInput): Promise<QuestionAnswer> {
  return run.send<QuestionAnswer>("POST", path`/api/questions/${id}/answer`, input);
}

/** The prompt; for an approval with the arguments of the call, for access to a tool with its description. */
export function formatQuestion({ prompt, kind, details }: QuestionView): string {
  if (kind === "approval" && Array.isArray(details.calls)) {
    const calls = details.calls.map((call) => `${call.tool} ${call.arguments}`);
    return [prompt, ...calls].join("\n");
  }
  const more = kind === "approval" ? details.arguments : kind === "access" ? details.description : undefined;
  return typeof more === "string" ? `${prompt}\n${more}` : prompt;
}

/** The accepted answers; undefined if any text is accepted. */
export function listChoices({ kind, details }: QuestionView): readonly string[] | undefined {
  if (kind === "approval")
    return Array.isArray(details.answers) ? details.answers.map(String) : ["once", "reject"];
  if (kind === "access") return ["grant", "refuse"];
  return Array.isArray(details.choices) && details.choices.length > 0
    ? details.choices.map(String)
    : undefined;
}
