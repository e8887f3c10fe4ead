import type {
  Embedder,
  EmbedderState,
  EmbedOptions,
  Vector,
} from "../../src/machine/text/meaning/embedder.ts";

const DIMENSIONS = 32;

/**
 * Knows what a few words mean: each subject is a list of words, and a text points where the subjects of its words do. Counts what it was
 * asked for.
 */
export class FakeEmbedder implements Embedder {
  readonly model = "fake";
  readonly dimensions = DIMENSIONS;
  readonly likenessFloor = 0.3;
  readonly asked: string[] = [];
  state: EmbedderState = { kind: "resting" };
  /** Resolved by whoever wants it to answer. */
  held: Promise<void> = Promise.resolve();
  readonly #subjects: readonly (readonly string[])[];

  constructor(subjects: readonly string[]) {
    this.#subjects = subjects.map((subject) => subject.split(" "));
  }

  async embed(
    texts: readonly string[],
    { urgent = false }: EmbedOptions = {},
  ): Promise<readonly Vector[] | undefined> {
    if (this.state.kind === "unavailable") return undefined;
    this.asked.push(...texts.map((text) => (urgent ? `urgent: ${text}` : text)));
    await this.held;
    return texts.map((text) => this.#vectorOf(text));
  }

  async close(): Promise<void> {
    this.state = { kind: "unavailable", reason: "it was closed" };
  }

  #vectorOf(text: string): Vector {
    const words = new Set(text.toLowerCase().match(/[a-z]+/g));
    const vector = new Int8Array(DIMENSIONS).fill(1);
    for (const [at, subject] of this.#subjects.entries())
      if (subject.some((word) => words.has(word))) vector[at] = 100;
    return vector;
  }
}
