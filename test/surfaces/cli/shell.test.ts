import { Command } from "commander";
import { expect, it } from "vitest";
import { Shell, type ShellDeps } from "../../../src/surfaces/cli/shell.ts";

it.each(["EROFS", "EACCES", "ENOSPC"])("a disk that answers %s is not told as a bug", async (code) => {
  let told = "";
  const terminal = {
    env: {},
    signal: new AbortController().signal,
    err: (text: string) => {
      told += text;
    },
  } as ShellDeps["terminal"];
  const shell = new Shell({ terminal, connect: () => Promise.reject(new Error("no API here")) });
  const action = shell.action(async () => {
    throw Object.assign(new Error(`${code}: it cannot be written, open '/home/me/.toolkeep/key'`), { code });
  });
  await action(new Command("toolkeep"));
  expect(shell.exitCode).toBe(5);
  expect(told).toMatch(/\.toolkeep\/key'\n {2}Check that the disk has room and the home can be written/);
});
