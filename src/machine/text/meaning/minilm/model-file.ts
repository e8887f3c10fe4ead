import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MODEL } from "./minilm.ts";
import { minilmGraph } from "./minilm-graph.ts";
import { onnxFile } from "./onnx-file.ts";
import { readTensors } from "./safetensors.ts";

/**
 * Returns the model in the format of the runtime. It is built from the weights once and stored in the folder, with its
 * hash beside it. A file that does not match its hash is built again. Several processes that build at the same time
 * write the same file.
 */
export async function modelFile(folder: string, weightsPath: string): Promise<Uint8Array> {
  const [path, hashPath] = [join(folder, `${MODEL}.onnx`), join(folder, `${MODEL}.sha256`)];
  const kept = await read(path);
  const hash = await read(hashPath);
  if (kept && hash && hash.toString() === hashOf(kept)) return kept;
  const built = onnxFile(minilmGraph(readTensors(await readFile(weightsPath))));
  // A disk that is full or must not be written costs time at the next start, and nothing else.
  await keep(folder, path, hashPath, built).catch(() => undefined);
  return built;
}

async function keep(folder: string, path: string, hashPath: string, built: Uint8Array): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder))
    if (name.startsWith(`${MODEL}.`)) await rm(join(folder, name), { force: true });
  await replace(path, built);
  await replace(hashPath, hashOf(built));
}

async function replace(path: string, content: Uint8Array | string): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, content, { mode: 0o600 });
  await rename(draft, path);
}

function read(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch(() => undefined);
}

function hashOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
