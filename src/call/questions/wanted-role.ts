import { covers, type Role } from "../../contract/caller.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { QuestionRecord } from "../../machine/db/store.ts";

/** In the details of an approval: whoever says yes does what only an admin may. */
export const WANTS_ADMIN = { wants: "admin" } as const;

type Asked = Pick<QuestionRecord, "kind" | "details">;
/** Whether there is a secret of this name. */
type IsKept = (secret: string) => boolean;

/** The role that a yes wants; a no, and an answer in words, is for everybody who answers. */
export function wantedRole({ kind, details }: Asked, isKept: IsKept): Role {
  if (kind === "access") return "admin";
  if (kind === "secret") return isKept(String(details.name)) ? "admin" : "operator";
  return kind === "approval" && details.wants === WANTS_ADMIN.wants ? "admin" : "operator";
}

/** Throws FORBIDDEN for an answer that is more than this role may give. */
export function checkRole(question: Asked, answer: string, role: Role, isKept: IsKept): void {
  const { kind } = question;
  if (kind === "approval" && answer === "always" && !covers(role, "admin")) {
    throw new ToolkeepError(
      "FORBIDDEN",
      "always writes a rule for all later calls, which only an admin may",
      { remedy: "Approve it once or for the conversation, or ask an admin." },
    );
  }
  const isNo = (kind === "approval" && answer === "reject") || (kind === "access" && answer === "refuse");
  if (isNo || covers(role, wantedRole(question, isKept))) return;
  throw new ToolkeepError("FORBIDDEN", WHY[kind as keyof typeof WHY], {
    remedy: "Ask an admin to answer, or say no.",
  });
}

const WHY = {
  approval: "with this yes somebody does what only an admin may",
  access: "grant gives the agent a tool for good, which only an admin may",
  secret: "there is a secret of this name already, which only an admin may replace",
};
