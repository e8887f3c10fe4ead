import { BoundedMap } from "../../../lib/bounded-map.ts";
import { awaitWithin } from "../../../lib/flow/await-within.ts";
import type { Embedder, Vector } from "../../../machine/text/meaning/embedder.ts";
import { measureLikenessFloor } from "../../../machine/text/meaning/likeness-floor.ts";
import type { Query } from "./query.ts";

/** The vector of a query and its model. */
export interface Meaning {
  readonly model: string;
  readonly vector: Vector;
  /** The least similarity of a passage without any word of the query. */
  readonly floor: number;
}

export interface QueryMeaningsDeps {
  readonly embedder: Embedder;
  /** Read every time, because the setting can change. */
  readonly isOn: () => boolean;
  /** How long a search waits for a vector. The first one takes longer, because the model is loaded. */
  readonly waitMs?: number;
}

const WAIT_MS = 400;
const KEPT = 512;
const MAX_CHARS = 2_000;

/** Embeds queries and keeps the most recent vectors. It never fails: without a vector a search uses words alone. */
export class QueryMeanings {
  readonly #deps: QueryMeaningsDeps;
  readonly #known = new BoundedMap<string, Vector>(KEPT, { drops: "least used" });
  #floor: Promise<number | undefined> | undefined;

  constructor(deps: QueryMeaningsDeps) {
    this.#deps = deps;
  }

  /** Undefined if it did not come in time; then it is ready for the next search. */
  async ofQuery({ words, prefixes }: Pick<Query, "words" | "prefixes">): Promise<Meaning | undefined> {
    const { embedder, isOn, waitMs = WAIT_MS } = this.#deps;
    const text = [words, ...prefixes].join(" ").trim().slice(0, MAX_CHARS);
    if (text === "" || !isOn() || embedder.state.kind === "unavailable") return undefined;
    const known = this.#known.get(text);
    const [vector, floor] =
      (await awaitWithin(waitMs, Promise.all([known ?? this.#embed(text), this.#measuredFloor()]))) ?? [];
    return vector && floor !== undefined ? { model: embedder.model, vector, floor } : undefined;
  }

  /** Measured once; if the encoder does not answer, the next search tries again. */
  async #measuredFloor(): Promise<number | undefined> {
    const { embedder } = this.#deps;
    if (embedder.likenessFloor !== undefined) return embedder.likenessFloor;
    this.#floor ??= measureLikenessFloor(embedder);
    const floor = await this.#floor;
    if (floor === undefined) this.#floor = undefined;
    return floor;
  }

  async #embed(text: string): Promise<Vector | undefined> {
    const vectors = await this.#deps.embedder.embed([text], { urgent: true });
    if (vectors?.[0]) this.#known.set(text, vectors[0]);
    return vectors?.[0];
  }
}
