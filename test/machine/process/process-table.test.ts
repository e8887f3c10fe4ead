import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { processTables } from "../../../src/machine/process/process-table.ts";

test.runIf(process.platform === "linux")(
  "of a process that becomes another program, the tree of its environment is read again",
  async () => {
    const table = processTables();
    const script = 'read -r _; PROCESS_TREE=second exec sh -c "read -r _"';
    const child = spawn("sh", ["-c", script], { env: { ...process.env, PROCESS_TREE: "first" } });
    const row = async () => (await table()).find(({ pid }) => pid === child.pid);

    await expect.poll(row).toMatchObject({ parent: process.pid, tree: "first" });
    expect(await row()).toMatchObject({ tree: "first" });
    child.stdin.write("\n");
    await expect.poll(row).toMatchObject({ parent: process.pid, tree: "second" });

    child.stdin.end();
    await once(child, "exit");
    expect(await row()).toBeUndefined();
  },
);
