import type { NewId } from "../../lib/id.ts";
import type { QuestionRecord } from "../../machine/db/store.ts";
import { approvalAnswers } from "./answers.ts";
import { type Asking, MAX_SHOWN, questionDigest } from "./asking.ts";

/** More calls than a person reads at once come in several questions. */
export const MAX_TOGETHER = 20;

export interface BatchQuestion {
  /** What people see and answer. */
  readonly shown: QuestionRecord;
  /** One for each call, which none but that call uses up. */
  readonly members: readonly QuestionRecord[];
}

/** At least two approvals of one agent as one question. */
export function batchQuestion(
  askings: readonly Asking[],
  { newId, now, expiresAt }: { readonly newId: NewId; readonly now: number; readonly expiresAt: number },
): BatchQuestion {
  const [first] = askings;
  const { agentId, agentName, details } = first!;
  const stored = (asking: Pick<Asking, "digest" | "prompt" | "details">, batchId: string | null) => ({
    id: newId("qst"),
    kind: "approval" as const,
    agentId,
    digest: asking.digest,
    prompt: asking.prompt,
    details: asking.details,
    state: "pending" as const,
    answer: null,
    createdAt: now,
    expiresAt,
    answeredAt: null,
    settlement: null,
    batchId,
  });
  const [ofFirst, ...ofOthers] = askings.map(approvalAnswers);
  const answers = ofFirst!.filter((answer) => ofOthers.every((taken) => taken.includes(answer)));
  const shown = stored(
    {
      // Nobody asks for the batch itself: it must only differ from every other.
      digest: questionDigest(agentId, "batch", [newId("bat"), ...askings.map(({ digest }) => digest)]),
      prompt: `May ${agentName} make these ${askings.length} calls?`,
      details: { answers, conversation: details.conversation, calls: askings.map(shownCall) },
    },
    null,
  );
  return { shown, members: askings.map((asking) => stored(asking, shown.id)) };
}

function shownCall({ details }: Asking): Record<string, unknown> {
  const { tool, arguments: args, rule, ruleId } = details;
  return { tool, arguments: args, rule, ...(ruleId !== undefined && { ruleId }) };
}

/** In parts of what one question can show; one that is left with a single call is none of a batch. */
export function inQuestions(all: readonly Asking[]): readonly (readonly Asking[])[] {
  const parts: Asking[][] = [];
  let room = 0;
  for (const asking of all) {
    const { length } = String(asking.details.arguments ?? "");
    if (parts.length === 0 || length > room) {
      parts.push([]);
      room = MAX_SHOWN;
    }
    parts.at(-1)!.push(asking);
    room -= length;
  }
  return parts.flatMap(evenly);
}

/** At most `MAX_TOGETHER` each. */
function evenly(all: readonly Asking[]): readonly (readonly Asking[])[] {
  const count = Math.ceil(all.length / MAX_TOGETHER);
  const size = Math.ceil(all.length / count);
  return Array.from({ length: count }, (_, at) => all.slice(at * size, (at + 1) * size));
}
