import { ToolkeepError } from "../../../contract/errors.ts";
import { isRecord } from "../../../lib/json.ts";
import { ruleShape } from "../../../machine/config/sections/rule-shape.ts";
import type { RulePattern } from "../../../machine/config/settings.ts";
import type { QuestionRecord } from "../../questions/contract.ts";
import type { AnswerRules } from "../../questions/questions.ts";
import { isTrait } from "../compiled-rule.ts";
import type { RuleBook } from "../rule-book.ts";

/** Writes the rules for the answers `conversation` and `always`: the agent may call the tool there, or from now on. */
export function createAnswerRules(book: Pick<RuleBook, "add" | "remove" | "has">): AnswerRules {
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
      const note = `answer to ${id} (${who.from})`;
      const written: string[] = [];
      try {
        for (const permission of tools) {
          const ruleFields = {
            permission,
            action: "allow" as const,
            ...(pattern !== undefined && { pattern }),
          };
          const rule = await book.add({
            ...ruleFields,
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

/** The tool of the call, or those of a batch, each once. */
function toolsOf({ details }: QuestionRecord): readonly string[] {
  const calls = Array.isArray(details.calls) ? details.calls : [details];
  const names = calls.map((call) => (isRecord(call) ? String(call.tool) : ""));
  return [...new Set(names)];
}

/** Whether a name stands for exactly one tool. With any other name, the rule would cover more than was asked. */
export function isOneTool(name: string): boolean {
  return /^\w+$/.test(name) && !isTrait(name);
}

function checkNames(tools: readonly string[]): void {
  const invalid = tools.find((name) => !isOneTool(name));
  if (invalid === undefined) return;
  throw new ToolkeepError("BAD_REQUEST", `${JSON.stringify(invalid)} can only be approved once`);
}

function checkPattern(pattern: RulePattern): void {
  const parsed = ruleShape.safeParse({ permission: "*", action: "allow", pattern });
  if (parsed.success) return;
  const { message = "a glob" } = parsed.error.issues[0] ?? {};
  throw new ToolkeepError("BAD_REQUEST", `pattern: expected ${message}`);
}
