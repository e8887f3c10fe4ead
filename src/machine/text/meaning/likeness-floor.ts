import { cosine } from "./direction.ts";
import type { Embedder } from "./embedder.ts";

/** Short texts about different things. What an encoder finds alike in two of them is its noise. */
const UNRELATED = [
  "Knead the dough and let it rise overnight.",
  "The train to the coast leaves at seven.",
  "Quarterly revenue grew by four percent.",
  "A heron stands in the shallow water.",
  "Tighten the bolts of the rear wheel.",
  "The parliament passed the budget in May.",
  "She plays the second violin in an orchestra.",
  "Take one tablet after each meal.",
  "The compiler reports an unused variable.",
  "Snow is expected above two thousand metres.",
  "Paint the ceiling before the walls.",
  "The goalkeeper saved a penalty.",
  "Granite forms deep below the surface.",
  "Please sign the lease and return it.",
  "The novel is set in a fishing village.",
  "Charge the battery before first use.",
  "The monks copied manuscripts by hand.",
  "Prune the roses in early spring.",
  "The jury found the witness credible.",
  "Light from the galaxy is shifted to red.",
  "The puppy learned to sit in a week.",
  "Divide both sides of the equation by three.",
  "The tailor shortened the sleeves.",
  "Customs held the shipment for two days.",
];
/** Similarity begins this many standard deviations above the mean of unrelated texts. */
const SPREADS = 3;

/**
 * Measures the smallest cosine that means something for this encoder: some give unrelated texts 0, others 0.7. It
 * depends on the encoder alone, never on the searched texts. Undefined if the encoder did not answer.
 */
export async function measureLikenessFloor(embedder: Embedder): Promise<number | undefined> {
  const vectors = await embedder.embed(UNRELATED);
  if (!vectors) return undefined;
  const likenesses = vectors.flatMap((one, at) => vectors.slice(at + 1).map((other) => cosine(one, other)));
  const mean = likenesses.reduce((sum, one) => sum + one, 0) / likenesses.length;
  const variance = likenesses.reduce((sum, one) => sum + (one - mean) ** 2, 0) / likenesses.length;
  return mean + SPREADS * Math.sqrt(variance);
}
