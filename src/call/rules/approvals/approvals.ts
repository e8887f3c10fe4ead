import { createHash } from "node:crypto";
import type { Caller } from "../../../contract/caller.ts";
import { ToolkeepError } from "../../../contract/errors.ts";
import type { Answering, InputRequest, Tool, ToolCall } from "../../../contract/tool.ts";
import type { Clock } from "../../../lib/clock.ts";
import { withHeartbeat } from "../../../lib/flow/heartbeat.ts";
import { linkSignals } from "../../../lib/flow/link-signals.ts";
import { stableJson } from "../../../lib/json.ts";
import { escapeHidden } from "../../../lib/text/hidden-characters.ts";
import type { Settings } from "../../../machine/config/settings.ts";
import type { QuestionRecord } from "../../questions/contract.ts";
import type { Answer, QuestionRequest } from "../../questions/question-request.ts";
import type { Questions } from "../../questions/questions.ts";
import type { Decision } from "../rules.ts";
import type { ClaimTable } from "../tables.ts";
import { isOneTool } from "./answer-rules.ts";
import {
  APPROVAL_KEY,
  approvalInquiry,
  askMethodFor,
  type ClientAnswer,
  readClientAnswer,
} from "./approval-elicitation.ts";

/** A call that a rule wants a person to approve first. */
export interface CallForApproval {
  readonly tool: Tool;
  /** Repaired and checked; secrets are placeholders. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
  /** The decision for this tool and caller; a different rule makes a different question. */
  readonly decision: Decision;
}

/** The secrets of agents that arguments name, each with its revision. */
export type NamedSecrets = (args: CallForApproval["args"]) => readonly string[];

/** The result of asking for approval. */
export type Approval =
  | {
      readonly kind: "approved";
      readonly id: string;
      readonly by?: string;
      /** For `release`, where the approval is for one call. */
      readonly usedId?: string;
    }
  | { readonly kind: "rejected"; readonly id: string; readonly reason?: string }
  | { readonly kind: "waiting"; readonly id: string }
  /** The answer to the call asks the person at the client. */
  | { readonly kind: "asks"; readonly id: string; readonly asked: InputRequest }
  /** The approval that the client sent was given for another call, or no longer counts. */
  | { readonly kind: "void"; readonly why: "altered" | "used" }
  /** It cannot be shown in full, and nobody can approve what they do not see. */
  | { readonly kind: "too_long"; readonly limit: number }
  | { readonly kind: "headless" }
  | { readonly kind: "too_many"; readonly limit: number };

export interface ApprovalsDeps {
  readonly questions: Pick<Questions, "ask" | "askTogether" | "get" | "answer" | "release">;
  readonly settings: () => Pick<Settings, "approvals">;
  /** Whether all of these rules still exist. */
  readonly haveRules: (ids: readonly string[]) => Promise<boolean>;
  readonly namedSecrets: NamedSecrets;
  readonly claims: Pick<ClaimTable, "take" | "giveBack">;
  readonly clock: Clock;
  /** How often a waiting call reports progress; default 5 s. */
  readonly progressMs?: number;
}

/** How long a continued round is remembered: far longer than a round may wait. */
const ROUND_CLAIM_MS = 24 * 60 * 60 * 1_000;
/** How long a call waits for the person at its client who was asked within it. */
const AT_CLIENT_MS = 300_000;
const PROGRESS_MS = 5_000;
const ANSWERS = ["once", "conversation", "always", "reject"];
/** For resources and prompts: in a rule, their names could match more than themselves. */
const ONCE_ONLY = ["once", "reject"];

/** Asks people whether calls may run, and finds their answers. */
export class Approvals {
  readonly #deps: ApprovalsDeps;
  readonly #binding: ApprovalBinding;

  constructor(deps: ApprovalsDeps) {
    this.#deps = deps;
    this.#binding = new ApprovalBinding(deps.namedSecrets);
  }

  /**
   * Finds a person's answer to exactly this call and uses it up. Where there is none, asks and waits as long as the
   * settings and the caller allow. Rejects only when the call is cancelled meanwhile.
   */
  async obtain(target: CallForApproval, call: ToolCall): Promise<Approval> {
    const request = this.#requestFor(target);
    const way = target.caller.interactive ? askMethodFor(call) : undefined;
    const sent = way === "rounds" ? await this.#takeSentAnswer(request, call) : undefined;
    if (sent?.kind === "void") return sent;
    const first = await this.#deps.questions.ask(request, { waitMs: 0 });
    if (first.kind !== "pending") return toApproval(first);
    const { id } = first;
    if (sent?.kind === "later") return { kind: "waiting", id };
    if (way === "rounds") return this.#askByRound(id, request);
    const decided =
      way === "answering" ? await this.#askAtClient(id, request, call.answering!, call) : undefined;
    if (decided) return decided;
    const { waitMs } = this.#deps.settings().approvals;
    if (waitMs === 0 || !call.onProgress) return { kind: "waiting", id };
    const waiting = this.#deps.questions.ask(request, { waitMs, ...signalOf(call) });
    return toApproval(await this.#withProgress(target.tool.name, id, call, waiting));
  }

  /** Asks people once for all these calls; each call looks for its own answer afterwards. */
  async askTogether(calls: readonly CallForApproval[]): Promise<void> {
    const groups = new Map<string, QuestionRequest[]>();
    for (const call of calls) {
      const request = this.#requestFor(call);
      const { agentId, conversation } = call.caller;
      const key = `${agentId} ${conversation}`;
      groups.set(key, [...(groups.get(key) ?? []), request]);
    }
    for (const requests of groups.values())
      if (requests.length > 1) await this.#deps.questions.askTogether(requests);
  }

  /** Whether a person who approved one call has also approved the other. */
  isSame(one: CallForApproval, other: CallForApproval): boolean {
    return this.#binding.digest(one) === this.#binding.digest(other);
  }

  /**
   * The token that the next round of an approved call carries: which call it continues, and what exactly was approved.
   */
  roundToken(callId: string, approved: CallForApproval): string {
    return `${callId} ${this.#binding.digest(approved)}`;
  }

  /**
   * Whether an approved call may continue with this round: only with what was approved, and once across all replicas,
   * so that one approval never runs two calls.
   */
  async claimRound(token: string, approved: CallForApproval): Promise<boolean> {
    const [callId, digest] = token.split(" ", 2);
    if (digest !== this.#binding.digest(approved)) return false;
    const { claims, clock } = this.#deps;
    return claims.take(`round ${callId}`, clock() + ROUND_CLAIM_MS);
  }

  /** Undoes `claimRound`: the call certainly never left. */
  async releaseRound(token: string): Promise<void> {
    const [callId] = token.split(" ", 1);
    await this.#deps.claims.giveBack(`round ${callId}`);
  }

  /** Undoes the use of an approval: the call certainly never left. */
  async release(usedId: string): Promise<void> {
    await this.#deps.questions.release(usedId);
  }

  #requestFor(target: CallForApproval): QuestionRequest {
    const { tool, args, caller, decision } = target;
    const name = escapeHidden(tool.name);
    return {
      kind: "approval",
      agentId: caller.agentId,
      agentName: caller.agentName,
      digest: this.#binding.digest(target),
      prompt: `May ${caller.agentName} call ${name}?`,
      details: {
        tool: name,
        arguments: stableJson(tool.shownArguments?.(args) ?? args),
        rule: decision.rule,
        ...(decision.ruleId !== undefined && { ruleId: decision.ruleId }),
        conversation: caller.conversation,
        // A client that names no conversation has one for everything; whoever approves that should know.
        ...(caller.conversation === caller.tokenId && { wholeToken: true }),
        answers: isOneTool(tool.name) ? ANSWERS : ONCE_ONLY,
      },
      isStillValid: (question) => this.#isStillValid(question, caller.conversation),
    };
  }

  /** An approval for more than one call ends with its rule, and one for a conversation counts in no other. */
  async #isStillValid(
    { answer, details, settlement }: QuestionRecord,
    conversation: string,
  ): Promise<boolean> {
    if (answer === "once") return true;
    if (answer === "conversation" && details.conversation !== conversation) return false;
    return this.#deps.haveRules(settlement?.ruleIds ?? []);
  }

  /** Takes the answer of the person at the client to the previous round. */
  async #takeSentAnswer(
    { digest }: QuestionRequest,
    { rounds, caller }: ToolCall,
  ): Promise<{ readonly kind: "later" } | Extract<Approval, { kind: "void" }> | undefined> {
    if (rounds?.approval === undefined) return undefined;
    const [id = "", bound] = rounds.approval.split(" ", 2);
    if (bound !== digest) return { kind: "void", why: "altered" };
    const question = await this.#deps.questions.get(id);
    const isOpen = question && question.expiresAt > this.#deps.clock();
    // A rejection is reported again; every other answer counts once.
    if (!isOpen || (question.state === "used" && question.answer !== "reject"))
      return { kind: "void", why: "used" };
    const answer = readClientAnswer(rounds.answers?.[APPROVAL_KEY]);
    if (answer?.answer === "later") return { kind: "later" };
    if (answer && question.state === "pending") await this.#recordAnswer(id, answer, caller.agentName);
    return undefined;
  }

  /** Somebody elsewhere may have answered first; their answer then counts. */
  async #recordAnswer(
    id: string,
    answer: Exclude<ClientAnswer, undefined | { answer: "later" }>,
    agent: string,
  ): Promise<void> {
    const extras = answer.answer === "reject" && answer.reason !== undefined ? { reason: answer.reason } : {};
    try {
      await this.#deps.questions.answer(
        id,
        answer.answer,
        { by: `the client of ${agent}`, from: "client", role: "operator" },
        extras,
      );
    } catch (error) {
      if (!(error instanceof ToolkeepError && error.code === "BAD_REQUEST")) throw error;
    }
  }

  async #askByRound(id: string, { digest }: QuestionRequest): Promise<Approval> {
    const question = await this.#deps.questions.get(id);
    const inquiry = question && approvalInquiry(question);
    if (!inquiry) return { kind: "waiting", id };
    const inquiries = { [APPROVAL_KEY]: inquiry };
    return { kind: "asks", id, asked: { inquiries, approval: `${id} ${digest}` } };
  }

  /**
   * The person at the client and everybody else can answer; the first answer counts. Undefined: no form can show the
   * call.
   */
  async #askAtClient(
    id: string,
    request: QuestionRequest,
    answering: Answering,
    call: ToolCall,
  ): Promise<Approval | undefined> {
    const { questions } = this.#deps;
    const question = await questions.get(id);
    const inquiry = question && approvalInquiry(question);
    if (!inquiry) return undefined;
    let isTooLate = false;
    const notNow = new AbortController();
    const withdraw = new AbortController();
    const cancelled = new AbortController();
    const unlink = linkSignals(cancelled, call.signal, notNow.signal);
    const waiting = questions.ask(request, { waitMs: AT_CLIENT_MS, signal: cancelled.signal });
    const answered = answering
      .answer(inquiry, withdraw.signal)
      .then(readClientAnswer, () => undefined)
      .then(async (answer) => {
        if (!answer || answer.answer === "later") notNow.abort();
        else await this.#recordAnswer(id, answer, call.caller.agentName);
        // Otherwise somebody was faster, and `waiting` resolves with their answer.
        isTooLate = answer !== undefined && question.expiresAt <= this.#deps.clock();
        if (isTooLate) notNow.abort();
      });
    // A failure here also ends the wait.
    answered.catch(() => notNow.abort());
    try {
      const what = String(question.details.tool ?? "the batch");
      return toApproval(await this.#withProgress(what, id, call, waiting));
    } catch (error) {
      if (call.signal?.aborted || !notNow.signal.aborted) throw error;
      return isTooLate ? { kind: "void", why: "used" } : { kind: "waiting", id };
    } finally {
      unlink();
      withdraw.abort();
    }
  }

  /** In small fractions, because the tool itself starts counting at one. */
  #withProgress<T>(what: string, id: string, { onProgress }: ToolCall, waiting: Promise<T>): Promise<T> {
    if (!onProgress) return waiting;
    const listener = {
      progress: (update: { progress: number; message: string }) =>
        onProgress({ ...update, progress: update.progress / 1_000 }),
    };
    const message = () => `waiting for a person to approve ${what} (${id})`;
    return withHeartbeat(listener, message, waiting, this.#deps.progressMs ?? PROGRESS_MS);
  }
}

function toApproval(answer: Answer): Approval {
  switch (answer.kind) {
    case "answered":
      return {
        kind: "approved",
        id: answer.id,
        ...(answer.by !== undefined && { by: answer.by }),
        ...(answer.answer === "once" && { usedId: answer.usedId }),
      };
    case "dismissed":
      return { kind: "rejected", id: answer.id };
    case "pending":
      return { kind: "waiting", id: answer.id };
    default:
      return answer;
  }
}

function signalOf({ signal }: ToolCall): { readonly signal?: AbortSignal } {
  return signal ? { signal } : {};
}

/**
 * What an approval is bound to: the caller, the tool and its definition, the arguments with the present revisions of
 * agents' secrets in them, and the rule that asked. Calls with the same digest are the same to the person who answers.
 */
class ApprovalBinding {
  readonly #namedSecrets: NamedSecrets;
  readonly #fingerprints = new WeakMap<Tool, string>();
  readonly #digests = new WeakMap<CallForApproval, string>();

  constructor(namedSecrets: NamedSecrets) {
    this.#namedSecrets = namedSecrets;
  }

  /** Always the same for one object, even if a secret that it names changes before the answer. */
  digest(target: CallForApproval): string {
    const known = this.#digests.get(target);
    if (known !== undefined) return known;
    const { tool, args, caller, decision } = target;
    const secrets = this.#namedSecrets(args);
    const digest = sha256([
      caller.agentId,
      tool.name,
      this.#fingerprint(tool),
      args,
      decision.action,
      decision.rule,
      decision.ruleId ?? null,
      ...(secrets.length > 0 ? [secrets] : []),
    ]);
    this.#digests.set(target, digest);
    return digest;
  }

  #fingerprint(tool: Tool): string {
    const known = this.#fingerprints.get(tool);
    if (known !== undefined) return known;
    const { name, origin, ownName, description, inputSchema, flags, published } = tool;
    const annotations = published?.annotations ?? null;
    const fingerprint = sha256([name, origin, ownName, description, inputSchema, flags, annotations]);
    this.#fingerprints.set(tool, fingerprint);
    return fingerprint;
  }
}

function sha256(value: unknown): string {
  return createHash("sha256").update(stableJson(value)).digest("hex");
}
