import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const RECORDED = ["rm", "ls", "cat", "git", "npm", "date"];
/** What runs the rest of its line, as it really is. */
const REAL = ["bash", "sh", "env", "xargs", "find", "timeout", "nice", "nohup", "setsid", "stdbuf", "ionice"];

/** Writes down how it was called, and does nothing else. */
const RECORDER = `#!/usr/bin/bash
printf '%s\\0' "\${0##*/} $*" >> /box/log
`;

/** Runs each line, and goes on once every process of it has ended: they all hold the pipe that is read to its end. */
const DRIVER = `
while IFS= read -r -d '' line; do
  { cd /box/desk && PATH=/box/bin /usr/bin/timeout 10 /usr/bin/bash -c "$line" </dev/null >/dev/null 2>&1; } 9>&1 | /usr/bin/cat
  printf '\\n\\0' >> /box/log
done < /box/lines
`;

/**
 * What a real bash runs for each of these lines: the recorded calls. Its PATH holds recorders and wrappers; the folder
 * it stands in is empty but for these, and it is confined to that, without a network.
 */
export async function runRecorded(lines: readonly string[]): Promise<readonly (readonly string[])[]> {
  const box = await mkdtemp(join(tmpdir(), "toolkeep-recorder-"));
  try {
    await mkdir(join(box, "bin"));
    await mkdir(join(box, "desk"));
    await symlink("/box/bin", join(box, "desk", "bin"));
    await writeFile(join(box, "desk", "in"), "");
    for (const name of RECORDED) await writeFile(join(box, "bin", name), RECORDER);
    for (const name of RECORDED) await chmod(join(box, "bin", name), 0o755);
    for (const name of REAL)
      await symlink(`/usr/bin/${name === "sh" ? "bash" : name}`, join(box, "bin", name));
    await writeFile(join(box, "log"), "");
    await writeFile(join(box, "lines"), lines.map((line) => `${line}\0`).join(""));
    const confined = [
      ...["--unshare-all", "--die-with-parent", "--ro-bind", "/usr", "/usr", "--bind", box, "/box"],
      ...["bin", "lib", "lib64", "sbin"].flatMap((name) => ["--symlink", `usr/${name}`, `/${name}`]),
      ...["--ro-bind", join(box, "bin", "rm"), "/usr/bin/rm", "--proc", "/proc", "--dev", "/dev"],
      ...["--tmpfs", "/tmp", "--chdir", "/box/desk", "--clearenv", "--setenv", "HOME", "/box/desk"],
    ];
    await promisify(execFile)("bwrap", [...confined, "/usr/bin/bash", "-c", DRIVER], { maxBuffer: 1e8 });
    const log = await readFile(join(box, "log"), "utf8");
    return log
      .split("\n\0")
      .slice(0, -1)
      .map((calls) => calls.split("\0").filter((call) => call !== ""));
  } finally {
    await rm(box, { recursive: true, force: true });
  }
}
