import type { Inquiry, ToolCall } from "../../../contract/tool.ts";
import { isRecord } from "../../../lib/json.ts";
import type { QuestionRecord } from "../../../machine/db/store.ts";

/** Under which a client of 2026-07-28 gives its answer. */
export const APPROVAL_KEY = "toolkeep_approval";
const MAX_MESSAGE = 6_000;
const MAX_REASON = 500;

/** What the person at the client said; undefined: nothing that could be understood. */
export type Said =
  | { readonly answer: "once" }
  | { readonly answer: "reject"; readonly reason?: string }
  | { readonly answer: "later" }
  | undefined;

/** The question as MCP puts it to the person at a client: this once, or no. Undefined where a form cannot show all of it. */
export function approvalInquiry(
  question: Pick<QuestionRecord, "id" | "prompt" | "details">,
): Inquiry | undefined {
  const { calls, arguments: args } = question.details;
  const about = Array.isArray(calls)
    ? calls.map((call) => `${call.tool} ${call.arguments}`).join("\n")
    : String(args ?? "");
  const message = `${question.prompt} (${question.id})\n${about}`;
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
            description: "Of a rejection, for the agent; may be left out.",
            maxLength: MAX_REASON,
          },
        },
        required: ["decision"],
      },
    },
  };
}

/** Only a plain yes is a yes. */
export function saidIn(result: unknown): Said {
  if (!isRecord(result)) return undefined;
  if (result.action === "cancel") return { answer: "later" };
  const content = isRecord(result.content) ? result.content : {};
  const { decision, reason } = content;
  const said =
    typeof reason === "string" && reason.trim() !== "" ? { reason: reason.slice(0, MAX_REASON) } : {};
  if (result.action === "decline") return { answer: "reject", ...said };
  if (result.action !== "accept") return undefined;
  if (decision === "once") return { answer: "once" };
  return decision === "reject" ? { answer: "reject", ...said } : undefined;
}

/** How the person at the client can be asked, if at all. */
export function wayToAsk({ rounds, answering }: ToolCall): "rounds" | "answering" | undefined {
  if (rounds) return showsForms(rounds.capabilities) ? "rounds" : undefined;
  return answering && showsForms(answering.capabilities) ? "answering" : undefined;
}

/** A client that says nothing of how it elicits shows forms, as all did at first. */
function showsForms({ elicitation }: Readonly<Record<string, unknown>>): boolean {
  if (!isRecord(elicitation)) return false;
  return isRecord(elicitation.form) || elicitation.url === undefined;
}
