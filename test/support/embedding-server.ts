import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { Dice } from "./dice.ts";
import { remoteServer } from "./remote-server.ts";

export interface AskedFor {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly model: string;
  readonly input: readonly string[];
  readonly dimensions?: number;
}

/** Speaks as OpenAI's and as Ollama's endpoint does. */
export interface EmbeddingServer extends AsyncDisposable {
  /** Without a path. */
  readonly url: string;
  readonly asked: AskedFor[];
  /** What it does in the place of its next answers, the first one first. */
  readonly instead: ((response: ServerResponse, asked: AskedFor) => void)[];
  /** Before what it does not answer. */
  held: (asked: AskedFor) => Promise<void>;
}

/**
 * A text points where the subjects of its words do, each a list of words. Answers in OpenAI's shape are the last text first: their index tells.
 */
export async function embeddingServer(
  subjects: readonly string[],
  usual = Math.max(8, subjects.length),
): Promise<EmbeddingServer> {
  const asked: AskedFor[] = [];
  const instead: EmbeddingServer["instead"] = [];
  const server = await remoteServer(async (request, response) => {
    const body = (await json(request)) as Omit<AskedFor, "path" | "authorization">;
    const one = { path: request.url ?? "", authorization: request.headers.authorization, ...body };
    asked.push(one);
    const other = instead.shift();
    if (other) return other(response, one);
    await shared.held(one);
    const vectors = body.input.map((text) => vectorOf(text, subjects, body.dimensions ?? usual));
    const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding })).reverse();
    if (one.path === "/v1/embeddings") sendJson(response, { object: "list", data, model: body.model });
    else if (one.path === "/api/embed") sendJson(response, { model: body.model, embeddings: vectors });
    else response.writeHead(404).end();
  });
  const shared: EmbeddingServer = {
    ...{ url: new URL(server.url).origin, asked, instead, held: async () => {} },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return shared;
}

export function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** A text about none of the subjects points anywhere, and two such texts to different sides. */
function vectorOf(text: string, subjects: readonly string[], dimensions: number): number[] {
  const words = new Set(text.toLowerCase().match(/[a-z]+/g));
  const isAbout = subjects.map((subject) => subject.split(" ").some((word) => words.has(word)));
  if (isAbout.includes(true))
    return Array.from({ length: dimensions }, (_, at) => (isAbout[at] ? 0.5 : 0.005));
  const dice = new Dice(createHash("sha256").update(text).digest().readUInt32LE(0));
  return Array.from({ length: dimensions }, () => (dice.below(1_000) - 500) / 1_000);
}
