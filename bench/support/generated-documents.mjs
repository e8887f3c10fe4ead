// Documents, queries and vectors drawn by dice that always fall the same way: words as rare as in real texts (Zipf), in lengths as passages have.

const VOCABULARY = 60_000;
const CHUNKS_PER_DOCUMENT = 5;
const WORDS_PER_CHUNK = 120;
const SYLLABLES = "ka lo mi re tu sa ne pi do va fu ge ri ba no te la mo si pu ze chi ha wo".split(" ");

/** The word of a rank; rank 0 is the commonest. */
function wordAt(rank) {
  let word = "";
  for (let left = rank + SYLLABLES.length; left > 0; left = Math.floor(left / SYLLABLES.length))
    word += SYLLABLES[left % SYLLABLES.length];
  return word;
}

function dice(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Ranks drawn as words are used: the tenth as often as a tenth of the first. */
const ranked = (random) => Math.floor(VOCABULARY ** random()) - 1;

/** One after another, so that a million passages need not be held at once; the same every time. */
export function* generatedDocuments(chunks) {
  const random = dice(1);
  for (let at = 0; at * CHUNKS_PER_DOCUMENT < chunks; at++) {
    const count = Math.min(CHUNKS_PER_DOCUMENT, chunks - at * CHUNKS_PER_DOCUMENT);
    yield {
      ...{ sourceId: "bench", key: `${at}`, type: "text", tags: [], uri: "", documentAt: at, metadata: {} },
      ...{ modifiedAt: 0, size: 0, hash: "", title: sentence(random, 5) },
      chunks: Array.from({ length: count }, () => {
        const text = sentence(random, WORDS_PER_CHUNK / 2 + Math.floor(random() * WORDS_PER_CHUNK));
        return { text, headings: [], start: 0, end: text.length };
      }),
    };
  }
}

/** A few words as people type them: none of the very commonest, which would be stop words. */
export function generatedQueries(count) {
  const random = dice(2);
  return Array.from({ length: count }, () =>
    Array.from({ length: 2 + Math.floor(random() * 5) }, () => wordAt(20 + ranked(random))).join(" "),
  );
}

const TOPICS = 500;
const ASPECTS = 64;
const ASPECTS_OF_ONE = 8;

/** Directions that follow from a number: of a topic, with some aspects of those that all topics share, and a little of its own. */
export function generatedVectors(dimensions) {
  const random = dice(3);
  const drawn = () => Float32Array.from({ length: dimensions }, () => random() + random() + random() - 1.5);
  const topics = Array.from({ length: TOPICS }, drawn);
  const aspects = Array.from({ length: ASPECTS }, drawn);
  return {
    of(no) {
      const own = dice(no + 4);
      const sum = Float32Array.from(topics[Math.floor(own() * TOPICS)]);
      for (let at = 0; at < ASPECTS_OF_ONE; at++) {
        const aspect = aspects[Math.floor(own() * ASPECTS)];
        const weight = own() * 1.2 - 0.6;
        for (let dimension = 0; dimension < dimensions; dimension++)
          sum[dimension] += weight * aspect[dimension];
      }
      let most = 0;
      for (let dimension = 0; dimension < dimensions; dimension++) {
        sum[dimension] += (own() - 0.5) * 0.8;
        most = Math.max(most, Math.abs(sum[dimension]));
      }
      return Uint8Array.from(sum, (value) => Math.round((value * 127) / most));
    },
  };
}

function sentence(random, words) {
  return Array.from({ length: words }, () => wordAt(ranked(random))).join(" ");
}
