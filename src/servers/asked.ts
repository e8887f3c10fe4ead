import type { Asked, Inquiry } from "../contract/tool.ts";
import { isRecord } from "../lib/json.ts";
import { err, ok, type Result } from "../lib/result.ts";
import { canBeAsked } from "./connection/inquiries.ts";

type JsonObject = Readonly<Record<string, unknown>>;

const MAX_INQUIRIES = 32;
const MAX_NAME_CHARS = 200;
const MAX_STATE_CHARS = 256 * 1024;
const METHODS: readonly unknown[] = ["elicitation/create", "sampling/createMessage", "roots/list"];

/** What a server of 2026-07-28 wants to know before it goes on; undefined for an answer that is one. */
export function askedIn(answer: JsonObject): Result<Asked, string> | undefined {
  if (answer.resultType !== "input_required") return undefined;
  const { inputRequests, requestState } = answer;
  const requests = Object.entries(isRecord(inputRequests) ? inputRequests : {});
  if (requests.length > MAX_INQUIRIES) {
    return err(`it asks more than ${MAX_INQUIRIES} things at once`);
  }
  if (requests.length === 0 && typeof requestState !== "string") {
    return err("it asks for input and does not say which");
  }
  if (typeof requestState === "string" && requestState.length > MAX_STATE_CHARS) {
    return err(`the state it wants back has more than ${MAX_STATE_CHARS} characters`);
  }
  const inquiries: [string, Inquiry][] = [];
  for (const [name, request] of requests) {
    const inquiry = inquiryOf(request);
    if (!inquiry || name.length > MAX_NAME_CHARS) return err("it asks in a way that is not known");
    inquiries.push([name, inquiry]);
  }
  // Not by assignment: `__proto__` is a name like any other.
  const asked = { inquiries: Object.fromEntries(inquiries) };
  return ok(typeof requestState === "string" ? { ...asked, state: requestState } : asked);
}

/** Whether somebody with these MCP client capabilities can be asked all of it. */
export function canAnswerAll({ inquiries }: Asked, capabilities: JsonObject): boolean {
  return Object.values(inquiries).every((inquiry) => canBeAsked(capabilities, inquiry));
}

function inquiryOf(request: unknown): Inquiry | undefined {
  if (!isRecord(request) || !METHODS.includes(request.method)) return undefined;
  const { method, params = {} } = request;
  return isRecord(params) ? { method: method as Inquiry["method"], params } : undefined;
}
