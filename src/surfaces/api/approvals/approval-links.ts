import { NEEDS_ADMIN } from "../../../call/questions/answers.ts";
import type { QuestionRecord } from "../../../call/questions/contract.ts";
import { SealedText } from "../../../call/vault/sealed-text.ts";
import type { Vault } from "../../../call/vault/vault.ts";
import type { Clock } from "../../../lib/clock.ts";
import { err, ok, type Result } from "../../../lib/result.ts";

const PURPOSE = "toolkeep/approval-link";
const MAX_LENGTH = 1_000;
/** Shorter than most approvals wait, because others may find a link in a chat later. */
const LIFE_MS = 60 * 60 * 1_000;

/** The answers that somebody with a link may give. */
export function linkAnswers({ wants }: QuestionRecord["details"]): readonly ("once" | "reject")[] {
  return wants === NEEDS_ADMIN.wants ? ["reject"] : ["once", "reject"];
}

interface Link {
  readonly id: string;
  readonly until: number;
}

/**
 * Links with which anybody can answer one approval, with `once` or `reject`, until it is answered or the link expires. Their
 * content cannot be read or changed, and every replica opens them.
 */
export class ApprovalLinks {
  readonly #texts: SealedText<Link>;
  readonly #clock: Clock;

  constructor(vault: Pick<Vault, "seal" | "unseal">, clock: Clock) {
    this.#texts = new SealedText(vault, PURPOSE, MAX_LENGTH);
    this.#clock = clock;
  }

  make({ id, expiresAt }: Pick<QuestionRecord, "id" | "expiresAt">): { key: string; until: number } {
    const until = Math.min(expiresAt, this.#clock() + LIFE_MS);
    return { key: this.#texts.seal({ id, until }), until };
  }

  /** The id of the approval. The error is a sentence for whoever opened the link. */
  open(key: unknown): Result<string, string> {
    const link = this.#texts.open(key);
    if (!link) return err("This link is not one of ours.");
    return link.until > this.#clock() ? ok(link.id) : err("This link is over.");
  }
}
