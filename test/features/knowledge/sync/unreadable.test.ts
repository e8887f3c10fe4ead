import { chmod, chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readFileJob } from "../../../../src/features/knowledge/parse/read-file.ts";
import type { FileReader } from "../../../../src/features/knowledge/parse/read-job.ts";
import { scanFolder } from "../../../../src/features/knowledge/sources/scan-folder.ts";
import type { SourcePlan } from "../../../../src/features/knowledge/sources/source-plan.ts";
import { syncSource } from "../../../../src/features/knowledge/sync/sync-source.ts";
import { systemClock } from "../../../../src/lib/clock.ts";
import { MemoryIndex } from "../../../support/memory-index.ts";
import { tempHome } from "../../../support/temp-home.ts";

const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;
const canBeAnother = typeof process.seteuid === "function";
if (isRoot && !canBeAnother) console.warn("left out: root may read everything, and cannot be another here");

/** Root may read everything, so for a while this is somebody else. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (!isRoot) return work();
  process.seteuid!(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid!(0);
  }
}

const reader: FileReader = {
  read: (job, onMembers) => readFileJob(job, { onMembers }),
  close: async () => {},
};

test.skipIf(isRoot && !canBeAnother)(
  "files and folders that may not be read are reported, keep what is known of them, and hide nothing else",
  async () => {
    await using folder = await tempHome();
    const root = folder.path;
    const closed = [join(root, "closed"), join(root, "locked.md")];
    await mkdir(closed[0]!);
    for (const name of ["a.md", "closed/in.md", "locked.md", "z.md"]) await writeFile(join(root, name), name);
    if (isRoot) for (const path of [root, ...closed]) await chown(path, NOBODY, NOBODY);
    const plan: SourcePlan = {
      ...{ kind: "folder", root, isFile: false, ignore: [], gitignore: true, hidden: false },
      ...{ maxFileBytes: 1_000, maxFiles: 100, excluded: [] },
    };
    const writer = new MemoryIndex();
    const deps = { writer, reader, scan: scanFolder, clock: systemClock, onProgress: () => {} };
    const run = () =>
      asNobody(() => syncSource({ sourceId: "s", name: "notes", plan }, deps, new AbortController().signal));
    expect(await run()).toMatchObject({ ok: true, added: 4, failed: 0 });
    await writeFile(join(root, "locked.md"), "changed");
    for (const path of closed) await chmod(path, 0o000);
    expect(await run()).toMatchObject({
      ...{ ok: true, unchanged: 2, gone: 0, failed: 2 },
      problems: [
        { key: "closed/", reason: "it may not be read by this user" },
        { key: "locked.md", reason: "it may not be read by this user" },
      ],
    });
    expect([...writer.entities.keys()].sort()).toEqual(["a.md", "closed/in.md", "locked.md", "z.md"]);
    await chmod(closed[0]!, 0o700);
    await chmod(closed[1]!, 0o600);
    expect(await run()).toMatchObject({ ok: true, unchanged: 3, changed: 1, failed: 0 });
  },
);
