import type { NewId } from "../../lib/id.ts";
import { approvalAnswers } from "./answers.ts";
import type { QuestionRecord } from "./contract.ts";
import { MAX_SHOWN, type QuestionRequest, questionDigest } from "./question-request.ts";

/** Larger batches are split into several questions: a person does not read more at once. */
export const MAX_CALLS_PER_QUESTION = 20;

export interface BatchQuestion {
  /** What people see and answer. */
  readonly visible: QuestionRecord;
  /** One for each call; only that call uses it up. */
  readonly members: readonly QuestionRecord[];
}

/** Combines at least two approvals of one agent into one question. */
export function createBatchQuestion(
  requests: readonly QuestionRequest[],
  { newId, now, expiresAt }: { readonly newId: NewId; readonly now: number; readonly expiresAt: number },
): BatchQuestion {
  const [first] = requests;
  const { agentId, agentName, details } = first!;
  const toRecord = (
    request: Pick<QuestionRequest, "digest" | "prompt" | "details">,
    batchId: string | null,
  ) => ({
    id: newId("qst"),
    kind: "approval" as const,
    agentId,
    digest: request.digest,
    prompt: request.prompt,
    details: request.details,
    state: "pending" as const,
    answer: null,
    createdAt: now,
    expiresAt,
    answeredAt: null,
    settlement: null,
    batchId,
  });
  const [firstAnswers, ...otherAnswers] = requests.map(approvalAnswers);
  const answers = firstAnswers!.filter((answer) =>
    otherAnswers.every((accepted) => accepted.includes(answer)),
  );
  const visible = toRecord(
    {
      // Nobody asks for the batch itself: its digest only has to be unique.
      digest: questionDigest(agentId, "batch", [newId("bat"), ...requests.map(({ digest }) => digest)]),
      prompt: `May ${agentName} make these ${requests.length} calls?`,
      details: { answers, conversation: details.conversation, calls: requests.map(visibleCall) },
    },
    null,
  );
  return { visible, members: requests.map((request) => toRecord(request, visible.id)) };
}

function visibleCall({ details }: QuestionRequest): Record<string, unknown> {
  const { tool, arguments: args, rule, ruleId } = details;
  return { tool, arguments: args, rule, ...(ruleId !== undefined && { ruleId }) };
}

/** Splits the requests into questions that can be shown in full. A part with a single call is not a batch. */
export function splitIntoQuestions(all: readonly QuestionRequest[]): readonly (readonly QuestionRequest[])[] {
  const parts: QuestionRequest[][] = [];
  let room = 0;
  for (const request of all) {
    const { length } = String(request.details.arguments ?? "");
    if (parts.length === 0 || length > room) {
      parts.push([]);
      room = MAX_SHOWN;
    }
    parts.at(-1)!.push(request);
    room -= length;
  }
  return parts.flatMap(splitEvenly);
}

/** At most `MAX_CALLS_PER_QUESTION` each, in parts of similar size. */
function splitEvenly(all: readonly QuestionRequest[]): readonly (readonly QuestionRequest[])[] {
  const count = Math.ceil(all.length / MAX_CALLS_PER_QUESTION);
  const size = Math.ceil(all.length / count);
  return Array.from({ length: count }, (_, at) => all.slice(at * size, (at + 1) * size));
}
