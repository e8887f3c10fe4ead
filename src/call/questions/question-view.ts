import { pick } from "../../contract/shape.ts";
import { requiredRole } from "./answers.ts";
import { type QuestionRecord, type QuestionView, questionView } from "./contract.ts";
import type { Questions } from "./questions.ts";

export interface QuestionViewDeps {
  readonly questions: Pick<Questions, "stateOf">;
  readonly agents: { name(id: string): string };
  readonly secrets: { has(name: string): boolean };
}

/** A question as people see it: its agent by name, and who may say yes. */
export function viewQuestion(deps: QuestionViewDeps, record: QuestionRecord): QuestionView {
  return pick(questionView, {
    ...record,
    state: deps.questions.stateOf(record),
    agent: deps.agents.name(record.agentId),
    wants: requiredRole(record, (name) => deps.secrets.has(name)),
  });
}
