import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readFileJob } from "../../src/features/knowledge/parse/read-file.ts";
import type { ReadDocument, ReadEnd, ReadJob, Resume } from "../../src/features/knowledge/parse/read-job.ts";
import { type FileType, isContainer } from "../../src/features/knowledge/sources/file-type.ts";
import { tempHome } from "./temp-home.ts";

export interface ReadFixture {
  readonly end: ReadEnd;
  /** Of a file that holds many. */
  readonly members: readonly ReadDocument[];
}

/** Writes a file and reads it in this thread. */
export async function readFixture(
  name: string,
  content: string | Uint8Array,
  type: FileType,
  kind: ReadJob["plan"]["kind"] = "folder",
  resume?: Resume,
): Promise<ReadFixture> {
  await using folder = await tempHome();
  const path = join(folder.path, name);
  await writeFile(path, content);
  const key = isContainer(type) ? `${name}/` : name;
  const members: ReadDocument[] = [];
  const { mtimeMs, size } = await stat(path);
  const job = {
    path,
    key,
    type,
    modifiedAt: Math.floor(mtimeMs),
    size,
    plan: { kind, root: folder.path, maxFileBytes: 64 * 1024 * 1024 },
    ...(resume && { resume }),
  };
  const end = await readFileJob(job, {
    onMembers: async (batch) => void members.push(...batch),
  });
  return { end, members };
}

/** The one document of a file; fails where it could not be read. */
export async function readOne(
  name: string,
  content: string | Uint8Array,
  type: FileType,
): Promise<ReadDocument> {
  const { end } = await readFixture(name, content, type);
  if (end.kind !== "read") throw new Error(`it was not read: ${JSON.stringify(end)}`);
  return end.document;
}
