import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../../../lib/clock.ts";
import type { Log } from "../../../../lib/log.ts";
import { wholeCharacterAt } from "../../../../lib/text/whole-characters.ts";
import { EMBED_LIMITS, embedInPieces, type Piece } from "../embed-pieces.ts";
import type { Embedder, EmbedderState, EmbedOptions, Vector } from "../embedder.ts";
import {
  EmbeddingEndpoint,
  type EmbeddingEndpointOptions,
  type EndpointFailure,
} from "./embedding-endpoint.ts";

export interface RemoteEmbedderOptions extends EmbeddingEndpointOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** How long it may take to answer; some load their model first. */
  readonly timeoutMs?: number;
  /** Before it is asked again; twice as long each time. */
  readonly pauseMs?: number;
  /** How long it is left alone after it failed too often; twice as long each time. */
  readonly restMs?: number;
}

const USUAL = { timeoutMs: 60_000, pauseMs: 500, restMs: 30_000 };
/** For requests that a caller waits for. */
const URGENT_TIMEOUT_MS = 15_000;
/** If the endpoint asks for a longer pause, callers do not wait for it. */
const MAX_PAUSE_MS = 10_000;
const MAX_REST_MS = 10 * 60_000;
/** A text that is too long for the model is tried again this many times shorter. */
const SHORTER = 4;
/** An answer is parsed in one step, and this many numbers take a few milliseconds. */
const NUMBERS_AT_ONCE = 12_288;
const MAX_TEXTS_AT_ONCE = 32;
const USUAL_DIMENSIONS = 1_536;

/** A sequence of requests that run one after the other. */
interface Lane {
  readonly pieces: Piece[];
  readonly most: number;
  readonly isUrgent: boolean;
  isBusy: boolean;
  work: Promise<void>;
}

/**
 * Vectors of a remote endpoint. Urgent texts have their own requests, so that they never wait for background work.
 * After repeated failures it is unavailable for a while, longer each time, and the next caller tries it again. The
 * number of dimensions is configured, or learned from the first answer, and never changes afterwards.
 */
export class RemoteEmbedder implements Embedder {
  readonly model: string;
  readonly #options: Required<RemoteEmbedderOptions>;
  readonly #endpoint: EmbeddingEndpoint;
  readonly #urgent = laneOf(EMBED_LIMITS.urgent, true);
  readonly #waiting = laneOf(EMBED_LIMITS.waiting, false);
  readonly #stop = new AbortController();
  #dimensions: number;
  /** Since the last success. */
  #failures = 0;
  #rests = 0;
  #rest: { readonly until: number; readonly reason: string } | undefined;

  constructor(options: RemoteEmbedderOptions) {
    this.#options = { ...USUAL, ...options };
    this.#endpoint = new EmbeddingEndpoint(options);
    this.#dimensions = options.dimensions ?? 0;
    this.model = [options.kind, options.model, ...(options.dimensions ? [options.dimensions] : [])].join(":");
  }

  get dimensions(): number {
    return this.#dimensions;
  }

  get state(): EmbedderState {
    if (this.#stop.signal.aborted) return { kind: "unavailable", reason: "it was closed" };
    if (this.#rest && this.#options.clock() < this.#rest.until)
      return { kind: "unavailable", reason: this.#rest.reason, isForNow: true };
    return { kind: this.#urgent.isBusy || this.#waiting.isBusy ? "working" : "resting" };
  }

  async embed(
    texts: readonly string[],
    { urgent = false }: EmbedOptions = {},
  ): Promise<readonly Vector[] | undefined> {
    const lane = urgent ? this.#urgent : this.#waiting;
    const size = textsAtOnce(this.#dimensions);
    if (!this.#isAvailable() || lane.pieces.length + texts.length / size > lane.most) return undefined;
    return embedInPieces(lane.pieces, shortened(texts, EMBED_LIMITS.chars), size, () => {
      if (!lane.isBusy) lane.work = this.#work(lane);
    });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#giveBack();
    await Promise.all([this.#urgent.work, this.#waiting.work]);
    await this.#endpoint.close();
  }

  #isAvailable(): boolean {
    return this.state.kind !== "unavailable";
  }

  /** Never rejects. */
  async #work(lane: Lane): Promise<void> {
    lane.isBusy = true;
    for (let piece = lane.pieces.shift(); piece; piece = lane.pieces.shift())
      piece.done(await this.#vectorsOf(piece.texts, lane.isUrgent));
    lane.isBusy = false;
  }

  /** Background work is retried; a caller would not wait that long. */
  async #vectorsOf(texts: readonly string[], isUrgent: boolean): Promise<readonly Vector[] | undefined> {
    const { pauseMs, timeoutMs } = this.#options;
    const limits = {
      timeoutMs: isUrgent ? Math.min(timeoutMs, URGENT_TIMEOUT_MS) : timeoutMs,
      signal: this.#stop.signal,
    };
    let most = EMBED_LIMITS.chars;
    while (this.#isAvailable()) {
      const answer = await this.#endpoint.ask(shortened(texts, most), limits);
      if (this.#stop.signal.aborted) return undefined;
      const failure = answer.ok ? this.#unlike(answer.value) : answer.error;
      if (answer.ok && !failure) {
        this.#succeeded(answer.value[0]?.length);
        return answer.value;
      }
      this.#failed(failure!);
      if (isUrgent) return undefined;
      if (failure!.isTooLong) most /= SHORTER;
      await this.#pause(failure!.afterMs ?? pauseMs * 2 ** (this.#failures - 1));
    }
    return undefined;
  }

  #unlike(vectors: readonly Vector[]): EndpointFailure | undefined {
    const length = vectors[0]?.length ?? this.#dimensions;
    if (this.#dimensions === 0 || length === this.#dimensions) return undefined;
    return {
      reason: `vectors had ${this.#dimensions} dimensions and now have ${length}: another model answers`,
    };
  }

  #succeeded(dimensions: number | undefined): void {
    this.#dimensions ||= dimensions ?? 0;
    if (this.#rests > 0) this.#options.log.info({ model: this.model }, "the embedder answers again");
    this.#failures = 0;
    this.#rests = 0;
    this.#rest = undefined;
  }

  #failed(failure: EndpointFailure): void {
    this.#failures += 1;
    const isOver = failure.isFinal || this.#failures >= EMBED_LIMITS.failures || this.#rests > 0;
    if (this.#isAvailable() && (isOver || (failure.afterMs ?? 0) > MAX_PAUSE_MS)) this.#leaveAlone(failure);
  }

  #leaveAlone({ reason, afterMs = 0 }: EndpointFailure): void {
    const { clock, log, restMs } = this.#options;
    const ms = Math.min(MAX_REST_MS, Math.max(restMs * 2 ** this.#rests, afterMs));
    this.#rest = { until: clock() + ms, reason };
    if (this.#rests === 0) log.warn({ reason }, "texts are compared by their words for now: no embedder");
    this.#rests += 1;
    this.#giveBack();
  }

  #giveBack(): void {
    for (const { done } of [...this.#urgent.pieces.splice(0), ...this.#waiting.pieces.splice(0)])
      done(undefined);
  }

  async #pause(ms: number): Promise<void> {
    if (!this.#isAvailable()) return;
    const { signal } = this.#stop;
    await delay(Math.min(ms, MAX_PAUSE_MS), undefined, { signal, ref: false }).catch(() => {});
  }
}

function laneOf(most: number, isUrgent: boolean): Lane {
  return { pieces: [], most, isUrgent, isBusy: false, work: Promise.resolve() };
}

function textsAtOnce(dimensions: number): number {
  const fitting = Math.floor(NUMBERS_AT_ONCE / (dimensions || USUAL_DIMENSIONS));
  return Math.min(MAX_TEXTS_AT_ONCE, Math.max(1, fitting));
}

/** An empty text is none to an endpoint: some refuse it. */
function shortened(texts: readonly string[], most: number): string[] {
  return texts.map((text) => text.slice(0, wholeCharacterAt(text, most)) || " ");
}
