import type { Inquiry, ToolCall } from "../../../contract/tool.ts";
import { isRecord } from "../../../lib/json.ts";
import type { QuestionRecord } from "../../questions/contract.ts";

/** The key under which a client of 2026-07-28 gives its answer. */
export const APPROVAL_KEY = "toolkeep_approval";
const MAX_MESSAGE = 6_000;
const MAX_REASON = 500;

/** The answer of the person at the client; undefined: it could not be understood. */
export type ClientAnswer =
  | { readonly answer: "once" }
  | { readonly answer: "reject"; readonly reason?: string }
  | { readonly answer: "later" }
  | undefined;

/**
 * The question as MCP asks the person at a client: approve once, or reject. Undefined where a form cannot show all of
 * it.
 */
export function approvalInquiry(
  question: Pick<QuestionRecord, "id" | "prompt" | "details">,
): Inquiry | undefined {
  const { calls, arguments: args } = question.details;
  const callTexts = Array.isArray(calls)
    ? calls.map((call) => `${call.tool} ${call.arguments}`).join("\n")
    : String(args ?? "");
  const message = `${question.prompt} (${question.id})\n${callTexts}`;
  if (message.length > MAX_MESSAGE) return undefined;
  const once = Array.isArray(calls)
    ? `these ${calls.length} calls, each of them one time, and no other`
    : "this call and no other";
  return {
    method: "elicitation/create",
    params: {
      mode: "form",
      message,
      requestedSchema: {
        type: "object",
        properties: {
          decision: {
            type: "string",
            title: "Decision",
            description: `once: ${once}. reject: nothing of it runs.`,
            enum: ["once", "reject"],
          },
          reason: {
            type: "string",
            title: "Reason",
            description: "Why you reject it, for the agent; optional.",
            maxLength: MAX_REASON,
          },
        },
        required: ["decision"],
      },
    },
  };
}

/** Only an explicit yes approves. */
export function readClientAnswer(result: unknown): ClientAnswer {
  if (!isRecord(result)) return undefined;
  if (result.action === "cancel") return { answer: "later" };
  const content = isRecord(result.content) ? result.content : {};
  const { decision, reason } = content;
  const reasonPart =
    typeof reason === "string" && reason.trim() !== "" ? { reason: reason.slice(0, MAX_REASON) } : {};
  if (result.action === "decline") return { answer: "reject", ...reasonPart };
  if (result.action !== "accept") return undefined;
  if (decision === "once") return { answer: "once" };
  return decision === "reject" ? { answer: "reject", ...reasonPart } : undefined;
}

/** How the person at the client can be asked, if at all. */
export function askMethodFor({ rounds, answering }: ToolCall): "rounds" | "answering" | undefined {
  if (rounds) return showsForms(rounds.capabilities) ? "rounds" : undefined;
  return answering && showsForms(answering.capabilities) ? "answering" : undefined;
}

/** A client that does not say how it elicits shows forms, as all did at first. */
function showsForms({ elicitation }: Readonly<Record<string, unknown>>): boolean {
  if (!isRecord(elicitation)) return false;
  return isRecord(elicitation.form) || elicitation.url === undefined;
}
