import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { QuestionRecord } from "../../../call/questions/contract.ts";
import type { Questions } from "../../../call/questions/questions.ts";
import type { Vault } from "../../../call/vault/vault.ts";
import { messageOf } from "../../../contract/errors.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Log } from "../../../lib/log.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { secretsInTheOpen } from "../../../machine/config/masked.ts";
import type { Settings } from "../../../machine/config/settings.ts";
import { createGuardedFetch, type GuardedFetch } from "../../../machine/net/guarded-fetch.ts";
import { type ApprovalLinks, linkAnswers } from "./approval-links.ts";

/** `t=<seconds>,v1=<HMAC-SHA256 of "<seconds>.<body>", hex>` */
export const SIGNATURE_HEADER = "x-toolkeep-signature";
/** The path of links; the key follows. */
export const ANSWER_PATH = "/approvals/answer/";
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** If more wait to be sent, further ones are not announced; the list of approvals still has them. */
const MAX_QUEUED = 100;
/** How many are sent at once, so that one that the receiver does not accept does not delay others. */
const MAX_AT_ONCE = 4;
/** The pauses before each new attempt after a failure. */
const PAUSES_MS = [1_000, 5_000, 25_000];

export interface WebhookDeps {
  readonly questions: Pick<Questions, "onAsked" | "get">;
  readonly settings: () => Pick<Settings, "approvals">;
  readonly vault: Pick<Vault, "fill" | "conceal" | "redact">;
  readonly links: ApprovalLinks;
  readonly agentName: (id: string) => string;
  /** The address at which people reach this process. */
  readonly url: () => string;
  readonly clock: Clock;
  readonly log: Log;
  /** Default: reaches the address in the settings, wherever it is, and public addresses. */
  readonly fetch?: GuardedFetch;
  readonly pausesMs?: readonly number[];
}

interface Announcement {
  readonly question: QuestionRecord;
  readonly webhookUrl: string;
}

/** Announces each approval that this process asks for once, to the address in the settings. No call waits for it. */
export class ApprovalWebhook {
  readonly #deps: WebhookDeps;
  readonly #fetch: GuardedFetch;
  readonly #closing = new AbortController();
  readonly #stopListening: () => void;
  readonly #queue: Announcement[] = [];
  readonly #underWay = new Set<Promise<void>>();

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
    // A person wrote the address into the settings, so it may be in their own network.
    const trustedHosts = () => {
      const { webhookUrl } = deps.settings().approvals;
      return new Set(webhookUrl === null ? [] : [new URL(webhookUrl).hostname]);
    };
    this.#fetch = deps.fetch ?? createGuardedFetch({ trustedHosts, maxBytes: MAX_ANSWER_BYTES });
    this.#stopListening = deps.questions.onAsked((question) => this.#announce(question));
  }

  async close(): Promise<void> {
    this.#stopListening();
    this.#closing.abort();
    this.#queue.length = 0;
    await Promise.all(this.#underWay);
    await this.#fetch.close();
  }

  #announce(question: QuestionRecord): void {
    const { webhookUrl } = this.#deps.settings().approvals;
    if (question.kind !== "approval" || webhookUrl === null) return;
    if (this.#queue.length >= MAX_QUEUED) {
      this.#deps.log.warn(
        { approval: question.id },
        "approval webhook: an approval was not announced because too many wait to be sent",
      );
      return;
    }
    this.#queue.push({ question, webhookUrl });
    this.#next();
  }

  /** Sends the oldest first, while not too many are under way. */
  #next(): void {
    while (this.#underWay.size < MAX_AT_ONCE) {
      const announcement = this.#queue.shift();
      if (!announcement) return;
      const delivery = this.#deliver(announcement).finally(() => {
        this.#underWay.delete(delivery);
        this.#next();
      });
      this.#underWay.add(delivery);
    }
  }

  /** Never rejects. */
  async #deliver({ question, webhookUrl }: Announcement): Promise<void> {
    const { log, pausesMs = PAUSES_MS } = this.#deps;
    for (const pause of [...pausesMs, undefined]) {
      if (this.#closing.signal.aborted || !(await this.#isPending(question))) return;
      const sent = await this.#send(question, webhookUrl);
      if (sent.ok) return;
      if (pause === undefined) {
        log.warn(
          { approval: question.id, cause: sent.error },
          "approval webhook: an approval could not be announced",
        );
        return;
      }
      await sleep(pause, undefined, { signal: this.#closing.signal }).catch(() => {});
    }
  }

  /** Somebody may have answered while it waited to be sent. If the store cannot say now, it is announced. */
  async #isPending({ id, expiresAt }: QuestionRecord): Promise<boolean> {
    const { questions, clock } = this.#deps;
    const now = await questions.get(id).catch(() => undefined);
    return (now === undefined || now.state === "pending") && expiresAt > clock();
  }

  /** The error says what went wrong, without the address, which may be a secret itself. */
  async #send(question: QuestionRecord, webhookUrl: string): Promise<Result<void, string>> {
    const secret = await this.#secret();
    if (!secret.ok) return secret;
    for (const part of secretsInTheOpen({ args: [], url: webhookUrl })) this.#deps.vault.conceal(part);
    const body = JSON.stringify(this.#toAnnouncement(question));
    try {
      const response = await this.#fetch.fetch(webhookUrl, {
        method: "POST",
        redirect: "error",
        headers: {
          "content-type": "application/json",
          ...(secret.value !== null && {
            [SIGNATURE_HEADER]: signature(secret.value, body, this.#deps.clock()),
          }),
        },
        body,
        signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      return response.ok ? ok(undefined) : err(`it answered with ${response.status}`);
    } catch (error) {
      return err(this.#deps.vault.redact(messageOf(error)));
    }
  }

  async #secret(): Promise<Result<string | null, string>> {
    const { webhookSecret: written } = this.#deps.settings().approvals;
    if (written === null) return ok(null);
    const filled = await this.#deps.vault.fill(written);
    if (filled.ok) this.#deps.vault.conceal(filled.value);
    return filled;
  }

  #toAnnouncement(question: QuestionRecord): object {
    const { id, agentId, prompt, details, createdAt, expiresAt } = question;
    const { key, until } = this.#deps.links.make(question);
    return {
      type: "approval.asked",
      id,
      agent: this.#deps.agentName(agentId),
      prompt,
      tool: details.tool ?? null,
      arguments: details.arguments ?? null,
      calls: details.calls ?? null,
      rule: details.rule ?? null,
      asked_at: createdAt,
      expires_at: expiresAt,
      answer: { url: `${this.#deps.url()}${ANSWER_PATH}${key}`, answers: linkAnswers(details), until },
    };
  }
}

export function signature(secret: string, body: string, now: number): string {
  const seconds = Math.floor(now / 1000);
  const mac = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${mac}`;
}
