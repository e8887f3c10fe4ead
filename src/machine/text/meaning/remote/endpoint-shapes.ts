import { isRecord } from "../../../../lib/json.ts";

/** How one kind of endpoint is asked for vectors, and where they stand in its answer. */
export interface EndpointShape {
  /** The default address. */
  readonly url: string;
  /** Added to the address. */
  readonly path: string;
  /** Returns the vectors of an answer, one for each text in order; undefined if the answer has another shape. */
  vectors(answer: unknown): readonly unknown[] | undefined;
}

export type EndpointKind = "openai" | "ollama";

/** Both are asked with `{model, input: [...]}`, and `dimensions` where those are stated. */
export const SHAPES: Readonly<Record<EndpointKind, EndpointShape>> = {
  openai: { url: "https://api.openai.com/v1", path: "/embeddings", vectors: openaiVectors },
  ollama: {
    url: "http://127.0.0.1:11434",
    path: "/api/embed",
    vectors: (answer) => (isRecord(answer) ? listOf(answer.embeddings) : undefined),
  },
};

/** `{data: [{index, embedding}]}`: not every server keeps the order, and not every one says an index. */
function openaiVectors(answer: unknown): readonly unknown[] | undefined {
  const data = isRecord(answer) ? listOf(answer.data) : undefined;
  if (!data) return undefined;
  const places = new Map<unknown, unknown>();
  for (const [at, item] of data.entries()) {
    if (!isRecord(item)) return undefined;
    places.set(item.index ?? at, item.embedding);
  }
  // A missing or repeated index leaves a text without a vector.
  return data.map((_, at) => places.get(at));
}

function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}
