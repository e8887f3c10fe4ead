import { createHash } from "node:crypto";
import type { Caller } from "../../../contract/caller.ts";
import { ToolkeepError } from "../../../contract/errors.ts";
import type { Answering, Asked, Tool, ToolCall } from "../../../contract/tool.ts";
import type { Clock } from "../../../lib/clock.ts";
import { withHeartbeat } from "../../../lib/flow/heartbeat.ts";
import { linkSignals } from "../../../lib/flow/link-signals.ts";
import { stableJson } from "../../../lib/json.ts";
import { withHiddenShown } from "../../../lib/text/hidden-characters.ts";
import type { Settings } from "../../../machine/config/settings.ts";
import type { ClaimStore, QuestionRecord } from "../../../machine/db/store.ts";
import type { Answer, Asking } from "../../questions/asking.ts";
import type { Questions } from "../../questions/questions.ts";
import type { Decision } from "../rules.ts";
import { isOneTool } from "./answer-rules.ts";
import { APPROVAL_KEY, approvalInquiry, type Said, saidIn, wayToAsk } from "./approval-elicitation.ts";

/** A call that a rule wants a person to see first. */
export interface AskedCall {
  readonly tool: Tool;
  /** Repaired and checked, secrets by their names. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
  /** What decides this tool for this caller: another rule in its place is another question. */
  readonly decision: Decision;
}

/** Which secrets of agents arguments name, and since when each of them is what it is. */
export type SecretsNamed = (args: AskedCall["args"]) => readonly string[];

/** What became of a call that a rule wants a person to see first. */
export type Approval =
  | {
      readonly kind: "approved";
      readonly id: string;
      readonly by?: string;
      /** For `giveBack`, where the approval is for one call. */
      readonly used?: string;
    }
  | { readonly kind: "rejected"; readonly id: string; readonly reason?: string }
  | { readonly kind: "waiting"; readonly id: string }
  /** The person at the client is asked by the answer to the call. */
  | { readonly kind: "asks"; readonly id: string; readonly asked: Asked }
  /** What the client brings was given for another call, or is worth nothing any more. */
  | { readonly kind: "void"; readonly why: "altered" | "used" }
  /** It cannot be shown whole, and nobody approves what they do not see. */
  | { readonly kind: "too_long"; readonly limit: number }
  | { readonly kind: "headless" }
  | { readonly kind: "too_many"; readonly limit: number };

export interface ApprovalsDeps {
  readonly questions: Pick<Questions, "ask" | "askTogether" | "get" | "answer" | "giveBack">;
  readonly settings: () => Pick<Settings, "approvals">;
  /** Whether every one of these rules is still there. */
  readonly haveRules: (ids: readonly string[]) => Promise<boolean>;
  readonly secretsNamed: SecretsNamed;
  readonly claims: ClaimStore;
  readonly clock: Clock;
  /** How often a call that waits says so; default 5 s. */
  readonly progressMs?: number;
}

/** How long it is remembered that a round was taken up: far longer than one may wait to be. */
const CONTINUED_MS = 24 * 60 * 60 * 1_000;
/** How long a call waits for the person at its client, who has been asked within it. */
const AT_CLIENT_MS = 300_000;
const PROGRESS_MS = 5_000;
const ANSWERS = ["once", "conversation", "always", "reject"];
/** Of resources and prompts: in a rule, their names could stand for more than themselves. */
const ONCE_ONLY = ["once", "reject"];

/** Asks people whether calls may run, and knows what they said. */
export class Approvals {
  readonly #deps: ApprovalsDeps;
  readonly #binding: ApprovalBinding;

  constructor(deps: ApprovalsDeps) {
    this.#deps = deps;
    this.#binding = new ApprovalBinding(deps.secretsNamed);
  }

  /**
   * Looks for a person's answer to exactly this call and uses it up; asks where there is none, and waits as long as the
   * settings and the caller let it. Rejects only when the call is cancelled meanwhile.
   */
  async of(asked: AskedCall, call: ToolCall): Promise<Approval> {
    const asking = this.#asking(asked);
    const way = asked.caller.interactive ? wayToAsk(call) : undefined;
    const brought = way === "rounds" ? await this.#brought(asking, call) : undefined;
    if (brought?.kind === "void") return brought;
    const first = await this.#deps.questions.ask(asking, { waitMs: 0 });
    if (first.kind !== "pending") return approvalOf(first);
    const { id } = first;
    if (brought?.kind === "later") return { kind: "waiting", id };
    if (way === "rounds") return this.#askByRound(id, asking);
    const said = way === "answering" ? await this.#askAtClient(id, asking, call.answering!, call) : undefined;
    if (said) return said;
    const { waitMs } = this.#deps.settings().approvals;
    if (waitMs === 0 || !call.onProgress) return { kind: "waiting", id };
    const waiting = this.#deps.questions.ask(asking, { waitMs, ...signalOf(call) });
    return approvalOf(await this.#withProgress(asked.tool.name, id, call, waiting));
  }

  /** Has people asked once for what is wanted together; each call looks for its own answer afterwards. */
  async together(calls: readonly AskedCall[]): Promise<void> {
    const groups = new Map<string, Asking[]>();
    for (const call of calls) {
      const asking = this.#asking(call);
      const { agentId, conversation } = call.caller;
      const key = `${agentId} ${conversation}`;
      groups.set(key, [...(groups.get(key) ?? []), asking]);
    }
    for (const askings of groups.values())
      if (askings.length > 1) await this.#deps.questions.askTogether(askings);
  }

  /** Whether a person who approved the one has approved the other. */
  isSame(one: AskedCall, other: AskedCall): boolean {
    return this.#binding.digest(one) === this.#binding.digest(other);
  }

  /** What the next round of an approved call shows: which round it follows, and what exactly a person approved. */
  round(callId: string, approved: AskedCall): string {
    return `${callId} ${this.#binding.digest(approved)}`;
  }

  /**
   * Whether an approved call may go on from this round: with what was approved only, and once on all replicas, so that one
   * approval never runs two calls.
   */
  async continues(round: string, approved: AskedCall): Promise<boolean> {
    const [callId, digest] = round.split(" ", 2);
    if (digest !== this.#binding.digest(approved)) return false;
    const { claims, clock } = this.#deps;
    return claims.take(`round ${callId}`, clock() + CONTINUED_MS);
  }

  /** Takes back that `continues` said yes: the call certainly never left. */
  async giveRoundBack(round: string): Promise<void> {
    const [callId] = round.split(" ", 1);
    await this.#deps.claims.giveBack(`round ${callId}`);
  }

  /** Takes back that an approval was used up: the call certainly never left. */
  async giveBack(used: string): Promise<void> {
    await this.#deps.questions.giveBack(used);
  }

  #asking(asked: AskedCall): Asking {
    const { tool, args, caller, decision } = asked;
    const name = withHiddenShown(tool.name);
    return {
      kind: "approval",
      agentId: caller.agentId,
      agentName: caller.agentName,
      digest: this.#binding.digest(asked),
      prompt: `May ${caller.agentName} call ${name}?`,
      details: {
        tool: name,
        arguments: stableJson(tool.shownArguments?.(args) ?? args),
        rule: decision.rule,
        ...(decision.ruleId !== undefined && { ruleId: decision.ruleId }),
        conversation: caller.conversation,
        // A client that names no conversation has one for everything: whoever says yes to that should know.
        ...(caller.conversation === caller.tokenId && { wholeToken: true }),
        answers: isOneTool(tool.name) ? ANSWERS : ONCE_ONLY,
      },
      isGood: (question) => this.#isGood(question, caller.conversation),
    };
  }

  /** A yes for more than one call ends with its rule, and one for a conversation counts in no other. */
  async #isGood({ answer, details, settlement }: QuestionRecord, conversation: string): Promise<boolean> {
    if (answer === "once") return true;
    if (answer === "conversation" && details.conversation !== conversation) return false;
    return this.#deps.haveRules(settlement?.ruleIds ?? []);
  }

  /** Takes what the person at the client said to the round before. */
  async #brought(
    { digest }: Asking,
    { rounds, caller }: ToolCall,
  ): Promise<{ readonly kind: "later" } | Extract<Approval, { kind: "void" }> | undefined> {
    if (rounds?.approval === undefined) return undefined;
    const [id = "", bound] = rounds.approval.split(" ", 2);
    if (bound !== digest) return { kind: "void", why: "altered" };
    const question = await this.#deps.questions.get(id);
    const isOpen = question && question.expiresAt > this.#deps.clock();
    // Of a rejection the caller is told again; everything else counts once.
    if (!isOpen || (question.state === "used" && question.answer !== "reject"))
      return { kind: "void", why: "used" };
    const said = saidIn(rounds.answers?.[APPROVAL_KEY]);
    if (said?.answer === "later") return { kind: "later" };
    if (said && question.state === "pending") await this.#take(id, said, caller.agentName);
    return undefined;
  }

  /** Somebody elsewhere may have been faster; then that counts. */
  async #take(
    id: string,
    said: Exclude<Said, undefined | { answer: "later" }>,
    agent: string,
  ): Promise<void> {
    const more = said.answer === "reject" && said.reason !== undefined ? { reason: said.reason } : {};
    try {
      await this.#deps.questions.answer(
        id,
        said.answer,
        { by: `the client of ${agent}`, from: "client", role: "operator" },
        more,
      );
    } catch (error) {
      if (!(error instanceof ToolkeepError && error.code === "BAD_REQUEST")) throw error;
    }
  }

  async #askByRound(id: string, { digest }: Asking): Promise<Approval> {
    const question = await this.#deps.questions.get(id);
    const inquiry = question && approvalInquiry(question);
    if (!inquiry) return { kind: "waiting", id };
    const inquiries = { [APPROVAL_KEY]: inquiry };
    return { kind: "asks", id, asked: { inquiries, approval: `${id} ${digest}` } };
  }

  /** Both the person at the client and everybody else can answer; the first one counts. Undefined: no form can show it. */
  async #askAtClient(
    id: string,
    asking: Asking,
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
    const waiting = questions.ask(asking, { waitMs: AT_CLIENT_MS, signal: cancelled.signal });
    const heard = answering
      .answer(inquiry, withdraw.signal)
      .then(saidIn, () => undefined)
      .then(async (said) => {
        if (!said || said.answer === "later") notNow.abort();
        else await this.#take(id, said, call.caller.agentName);
        // Else somebody was faster, which whoever waits hears of.
        isTooLate = said !== undefined && question.expiresAt <= this.#deps.clock();
        if (isTooLate) notNow.abort();
      });
    // What fails in here fails for whoever waits, too.
    heard.catch(() => notNow.abort());
    try {
      const what = String(question.details.tool ?? "the batch");
      return approvalOf(await this.#withProgress(what, id, call, waiting));
    } catch (error) {
      if (call.signal?.aborted || !notNow.signal.aborted) throw error;
      return isTooLate ? { kind: "void", why: "used" } : { kind: "waiting", id };
    } finally {
      unlink();
      withdraw.abort();
    }
  }

  /** In small steps: the tool itself begins to count at one. */
  #withProgress<T>(what: string, id: string, { onProgress }: ToolCall, waiting: Promise<T>): Promise<T> {
    if (!onProgress) return waiting;
    const told = {
      progress: (update: { progress: number; message: string }) =>
        onProgress({ ...update, progress: update.progress / 1_000 }),
    };
    const message = () => `waiting for a person to approve ${what} (${id})`;
    return withHeartbeat(told, message, waiting, this.#deps.progressMs ?? PROGRESS_MS);
  }
}

function approvalOf(answer: Answer): Approval {
  switch (answer.kind) {
    case "answered":
      return {
        kind: "approved",
        id: answer.id,
        ...(answer.by !== undefined && { by: answer.by }),
        ...(answer.answer === "once" && { used: answer.used }),
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
 * What a yes is bound to: who calls, the tool and what it said of itself, with what, agents' own secrets in that as
 * they are by then, and the rule that asked. Two calls with the same digest are the same to the person who answers.
 */
class ApprovalBinding {
  readonly #secretsNamed: SecretsNamed;
  readonly #fingerprints = new WeakMap<Tool, string>();
  readonly #digests = new WeakMap<AskedCall, string>();

  constructor(secretsNamed: SecretsNamed) {
    this.#secretsNamed = secretsNamed;
  }

  /** Of one asked call always the same: what it names may be another secret by the time of the answer. */
  digest(asked: AskedCall): string {
    const known = this.#digests.get(asked);
    if (known !== undefined) return known;
    const { tool, args, caller, decision } = asked;
    const secrets = this.#secretsNamed(args);
    const made = sha256([
      caller.agentId,
      tool.name,
      this.#fingerprint(tool),
      args,
      decision.action,
      decision.rule,
      decision.ruleId ?? null,
      ...(secrets.length > 0 ? [secrets] : []),
    ]);
    this.#digests.set(asked, made);
    return made;
  }

  #fingerprint(tool: Tool): string {
    const known = this.#fingerprints.get(tool);
    if (known !== undefined) return known;
    const { name, origin, ownName, description, inputSchema, flags, published } = tool;
    const annotations = published?.annotations ?? null;
    const made = sha256([name, origin, ownName, description, inputSchema, flags, annotations]);
    this.#fingerprints.set(tool, made);
    return made;
  }
}

function sha256(value: unknown): string {
  return createHash("sha256").update(stableJson(value)).digest("hex");
}
