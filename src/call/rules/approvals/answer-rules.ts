import { ToolkeepError } from "../../../contract/errors.ts";
import { isRecord } from "../../../lib/json.ts";
import { ruleShape } from "../../../machine/config/sections/rule-shape.ts";
import type { RulePattern } from "../../../machine/config/settings.ts";
import type { QuestionRecord } from "../../../machine/db/store.ts";
import type { AnswerRules } from "../../questions/questions.ts";
import { isTrait } from "../compiled-rule.ts";
import type { RuleBook } from "../rule-book.ts";

/** What a person's `conversation` or `always` puts into the book: that the agent may call the tool, there or from now on. */
export function answerRules(book: Pick<RuleBook, "add" | "remove" | "has">): AnswerRules {
  const remove = async (ids: readonly string[]) => {
    for (const id of ids) if (book.has(id)) await book.remove(id);
  };
  return {
    async write(question, answer, who, { pattern }) {
      const { id, agentId, details } = question;
      if (pattern !== undefined) checkPattern(pattern);
      const tools = toolsOf(question);
      checkNames(tools);
      const conversation = answer === "conversation" ? String(details.conversation) : null;
      const note = `said to ${id} (${who.from})`;
      const written: string[] = [];
      try {
        for (const permission of tools) {
          const what = { permission, action: "allow" as const, ...(pattern !== undefined && { pattern }) };
          const rule = await book.add({
            ...what,
            agentId,
            conversation,
            note,
            createdBy: who.by,
            questionId: id,
          });
          written.push(rule.id);
        }
      } catch (error) {
        await remove(written);
        throw error;
      }
      return written;
    },
    remove,
  };
}

/** One, or those of a batch, each once. */
function toolsOf({ details }: QuestionRecord): readonly string[] {
  const calls = Array.isArray(details.calls) ? details.calls : [details];
  const names = calls.map((call) => (isRecord(call) ? String(call.tool) : ""));
  return [...new Set(names)];
}

/** Of whatever else it would be, the rule would be about more than was asked. */
export function isOneTool(name: string): boolean {
  return /^\w+$/.test(name) && !isTrait(name);
}

function checkNames(tools: readonly string[]): void {
  const wider = tools.find((name) => !isOneTool(name));
  if (wider === undefined) return;
  throw new ToolkeepError("BAD_REQUEST", `${JSON.stringify(wider)} can be approved once only`);
}

function checkPattern(pattern: RulePattern): void {
  const parsed = ruleShape.safeParse({ permission: "*", action: "allow", pattern });
  if (parsed.success) return;
  const { message = "a glob" } = parsed.error.issues[0] ?? {};
  throw new ToolkeepError("BAD_REQUEST", `pattern: expected ${message}`);
}
