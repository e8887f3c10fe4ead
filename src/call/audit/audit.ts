import { ToolkeepError } from "../../contract/errors.ts";
import type { ToolCall } from "../../contract/tool.ts";
import { toJsonText } from "../../lib/json.ts";
import type { Settings } from "../../machine/config/settings.ts";
import { AuditChecks } from "./audit-checks.ts";
import { AuditRecord, type CallSink, type Ended, recordOf } from "./call-audit.ts";
import { Chain, type ChainDeps, type Link } from "./chain/chain.ts";
import type { LinkProblem } from "./chain/links.ts";
import { pruneChains } from "./chain/prune-chains.ts";
import type { AuditEntry } from "./contract.ts";
import type { SpanSink } from "./otlp.ts";
import { verifyAudit } from "./verify.ts";

export interface AuditDeps extends ChainDeps {
  readonly redact: (text: string) => string;
  /** Receives spans; absent: spans are not exported. */
  readonly spans?: SpanSink;
  /** Absent: spans are always exported. */
  readonly settings?: () => Pick<Settings, "telemetry">;
  readonly onLost: (count: number, cause: unknown) => void;
  /** The head could not be written, or something is not as it was written. */
  readonly onProblem: (error: unknown) => void;
}

/** Records wait at most this long before they are written: what a `kill -9` can lose. */
export const AUDIT_WINDOW_MS = 200;
/** While the store is unavailable, writing is retried after a window, then after twice as long, up to this. */
const MAX_RETRY_MS = 5_000;
/** How many records are written together. Rarely more come in one window. */
const BATCH = 2_000;
/** How many records wait while the store is unavailable; beyond that the oldest are lost, and counted. */
const MAX_WAITING = 20_000;
const MAX_DETAILS = 4_096;

type Note = Omit<AuditEntry, "chain" | "seq" | "mac">;
type Item = Ended | Note;

interface Urgent {
  readonly item: Item;
  readonly isIntent: boolean;
  readonly written: () => void;
  readonly failed: (error: unknown) => void;
}

interface Loss {
  count: number;
  readonly from: number;
  to: number;
}

/**
 * What happened, as a chain that nobody can change unnoticed. Records are written in batches, off the path of a call. The
 * intent of a destructive call and the acts of people are written first.
 */
export class Audit {
  readonly #deps: AuditDeps;
  readonly #chain: Chain;
  readonly #sink: CallSink;
  /** Checks whether everything is as it was written. */
  readonly checks: AuditChecks;
  #urgent: Urgent[] = [];
  #waiting: Item[] = [];
  /** A batch whose write failed: it is not known whether it was written. */
  #unsure: { readonly items: readonly Item[]; readonly loss: Loss | undefined } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #draining: Promise<void> | undefined;
  #retryMs = AUDIT_WINDOW_MS;
  #isDown = false;
  #wasTaken = false;
  #unwritten = 0;
  #unwrittenSince = 0;
  #lost = 0;
  readonly #decisions: Record<string, number> = { allow: 0, ask: 0, deny: 0 };
  /** A loss that is not recorded in the chain yet. */
  #loss: Loss | undefined;

  constructor(deps: AuditDeps, chain: Chain) {
    this.#deps = deps;
    this.#chain = chain;
    const { store, key, home, clock } = deps;
    this.checks = new AuditChecks({
      verify: (onProgress, signal) => verifyAudit({ store, key, home, own: chain, onProgress, signal }),
      note: (...about) => this.note(...about),
      clock,
    });
    this.#sink = {
      now: (ended) => this.#now(ended, true),
      soon: (ended) => {
        if (ended.decision !== null)
          this.#decisions[ended.decision] = (this.#decisions[ended.decision] ?? 0) + 1;
        this.#enqueue(ended);
      },
    };
  }

  static async open(deps: AuditDeps): Promise<Audit> {
    return new Audit(deps, await Chain.open(deps));
  }

  /** Opens the record of one call; exactly one `end` must follow. */
  begin(id: string, call: ToolCall): AuditRecord {
    const { spans, settings } = this.#deps;
    const areWanted = settings === undefined || settings().telemetry.otlpUrl !== null;
    return new AuditRecord(id, call, this.#deps, this.#sink, areWanted ? spans : undefined);
  }

  /**
   * Records what somebody did beside calling tools: `agent.created`, `rule.removed`. `actor`: who, null for Toolkeep
   * itself; `subject`: to what, an id or a name. Secrets are taken out of `details`, which are cut at 4 kB. Resolves
   * when it is durable and never rejects: while the store cannot be used it waits there like any record.
   */
  note(
    kind: string,
    actor: string | null,
    subject: string | null,
    details: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const note = { kind, at: this.#deps.clock(), actor, subject, details: this.#details(details) };
    return this.#now(note, false).catch(() => this.#enqueue(note));
  }

  /** How many calls the rules allowed, asked about and denied since the process started. */
  get decisions(): Readonly<Record<string, number>> {
    return this.#decisions;
  }

  /** What is not in the store yet and for how long, and what could not be written since the process began. */
  get load(): { readonly waiting: number; readonly lagMs: number; readonly lost: number } {
    const lagMs = this.#unwritten === 0 ? 0 : Math.max(0, this.#deps.clock() - this.#unwrittenSince);
    return { waiting: this.#unwritten, lagMs, lost: this.#lost };
  }

  /** The chain that this process writes. */
  get chain(): Pick<Chain, "head" | "opening"> {
    return this.#chain;
  }

  /** Resolves when everything recorded so far is in the store and the head on disk; or the store cannot be used. */
  async flush(): Promise<void> {
    await this.#drain();
    await this.#chain.settled();
  }

  /** Writes the records that wait. Those that cannot be written now are lost. */
  async close(): Promise<void> {
    await this.checks.close();
    await this.flush();
    clearTimeout(this.#timer);
    if (this.#chain.hasWritten) await this.#chain.mark();
    if (this.#unwritten > 0) this.#lose(this.#unwritten, new Error("the store could not be used to the end"));
    this.#unwritten = 0;
  }

  /** Removes what happened before `before`, about `limit` records at most; resolves with how many. */
  async prune(before: number, limit: number): Promise<number> {
    const { store, key, onProblem } = this.#deps;
    // Once a day is often enough for a process that runs for months.
    await this.#chain.mark();
    const onBreak = (chain: string, seq: number) =>
      onProblem(
        new Error(
          `the checkpoint ${chain}:${seq} of the audit is not as it was written: nothing of its chain is removed`,
        ),
      );
    const keep = (chain: string, { seq, ...problem }: LinkProblem) =>
      this.note("audit.pruned", null, `${chain}:${seq}`, problem);
    return pruneChains({ store, key, onProblem: onBreak, keep }, before, limit);
  }

  #now(item: Item, isIntent: boolean): Promise<void> {
    return new Promise((written, failed) => {
      this.#urgent.push({ item, isIntent, written, failed });
      void this.#drain();
    });
  }

  #enqueue(item: Item): void {
    if (this.#unwritten === 0) this.#unwrittenSince = this.#deps.clock();
    this.#unwritten += 1;
    this.#waiting.push(item);
    this.#bound();
    if (this.#waiting.length >= BATCH && !this.#isDown) void this.#drain();
    else this.#timer ??= setTimeout(() => void this.#drain(), this.#isDown ? this.#retryMs : AUDIT_WINDOW_MS);
  }

  #bound(): void {
    const over = this.#waiting.length - MAX_WAITING;
    if (over <= 0) return;
    this.#waiting.splice(0, over);
    this.#unwritten -= over;
    this.#lose(over, new Error("the store cannot be used, or does not keep up with the audit"));
  }

  /** One at a time: a link of the chain follows the one before. */
  #drain(): Promise<void> {
    this.#draining ??= this.#writeAll();
    return this.#draining;
  }

  async #writeAll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // Not at once: with nothing to write it would be over before it is noted that it goes on.
    await null;
    let isUp = true;
    // With the last look at what waits, nothing comes in between: whoever comes later begins again.
    while (isUp && (this.#urgent.length > 0 || this.#waiting.length > 0 || this.#unsure)) {
      isUp = await this.#writeSome();
    }
    this.#draining = undefined;
    if (!isUp) this.#timer ??= setTimeout(() => void this.#drain(), this.#retryMs);
  }

  /** False: the store is unavailable now. */
  async #writeSome(): Promise<boolean> {
    const urgent = this.#urgent.splice(0, BATCH);
    let items: Item[] = [];
    const loss = this.#loss;
    try {
      await this.#settle();
      items = this.#waiting.splice(0, BATCH - urgent.length);
      if (urgent.length + items.length > 0 || loss)
        await this.#chain.append(this.#links(urgent, items, loss));
      this.#wrote(items, loss);
      for (const { written } of urgent) written();
      return true;
    } catch (error) {
      for (const { failed } of urgent) failed(error);
      return this.#failed(error, items, loss);
    }
  }

  /** Whether to continue at once. Records that can be written later wait; the others are lost. */
  #failed(error: unknown, items: Item[], loss: Loss | undefined): boolean {
    const code = error instanceof ToolkeepError ? error.code : undefined;
    // Another process wrote to the same place: the records go to a new chain.
    const isTaken = code === "NAME_TAKEN" && !this.#wasTaken;
    if (isTaken || code === "STORE_UNAVAILABLE") this.#unsure ??= { items, loss };
    else {
      this.#unsure ??= { items: [], loss: undefined };
      this.#unwritten -= items.length;
      if (items.length > 0) this.#lose(items.length, error);
    }
    this.#wasTaken = isTaken;
    this.#isDown = code === "STORE_UNAVAILABLE" || (!isTaken && items.length === 0);
    if (this.#isDown) this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2);
    return !this.#isDown;
  }

  /** Finds out whether the failed write was written. If not, its records wait again, before the others. */
  async #settle(): Promise<void> {
    if (!this.#unsure) return;
    const isWritten = await this.#chain.settle();
    const { items, loss } = this.#unsure;
    this.#unsure = undefined;
    if (isWritten) return this.#wrote(items, loss);
    this.#waiting.unshift(...items);
    this.#bound();
  }

  #wrote(items: readonly Item[], loss: Loss | undefined): void {
    this.#unwritten -= items.length;
    this.#unwrittenSince = this.#deps.clock();
    this.#isDown = false;
    this.#wasTaken = false;
    this.#retryMs = AUDIT_WINDOW_MS;
    if (this.#loss && this.#loss === loss) this.#loss = undefined;
  }

  /** A generator, because removing secrets from two thousand records takes a while. */
  *#links(urgent: readonly Urgent[], items: readonly Item[], loss: Loss | undefined): Generator<Link> {
    if (loss) yield { entry: { kind: "lost", ...this.#nobody, details: JSON.stringify(loss) } };
    for (const { item, isIntent } of urgent) yield this.#link(item, isIntent);
    for (const item of items) yield this.#link(item, false);
  }

  get #nobody() {
    return { at: this.#deps.clock(), actor: null, subject: null };
  }

  #link(item: Item, isIntent: boolean): Link {
    return "kind" in item ? { entry: item } : { call: recordOf(item, this.#deps.redact), isIntent };
  }

  #details(details: Readonly<Record<string, unknown>>): string {
    const text = this.#deps.redact(toJsonText(details));
    return text.length <= MAX_DETAILS ? text : JSON.stringify({ cut: text.slice(0, MAX_DETAILS / 2) });
  }

  #lose(count: number, cause: unknown): void {
    this.#lost += count;
    const now = this.#deps.clock();
    if (this.#loss) {
      // A new object, so that a write that is running does not count for it.
      this.#loss = { ...this.#loss, count: this.#loss.count + count, to: now };
    } else this.#loss = { count, from: now, to: now };
    this.#deps.onLost(count, cause);
  }
}
