// Running a client and judging what it printed.
import { execFile } from "node:child_process";

const CLIENT_MS = 180_000;

/** All that a client prints, whether it succeeds or not: a refusal is also an answer to look at. */
export async function output(file, args, options) {
  return command(file, args, options).catch(
    (error) => `${error.stdout ?? ""}${error.stderr ?? ""}${error.message}`,
  );
}

export function command(file, args, options) {
  return new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      { timeout: CLIENT_MS, maxBuffer: 64 * 1024 * 1024, ...options },
      (error, stdout, stderr) => {
        if (error) reject(Object.assign(error, { stdout, stderr }));
        else resolve(stdout + stderr);
      },
    );
    child.stdin?.end();
  });
}

/** Throws where a client does not even print its version: that says nothing about Toolkeep. */
export async function mustRun(file, args, { home }) {
  await command(file, [...args, "--version"], { env: { PATH: process.env.PATH, HOME: home }, cwd: home });
}

/** Undefined when one of `wanted` is in the text, else what is there instead. */
export function lacks(text, ...wanted) {
  if (wanted.some((one) => text.includes(one))) return undefined;
  return `expected ${wanted.join(" or ")}; got: ${text.trim().slice(0, 600)}`;
}

export function firstLine(error) {
  return String(error?.message ?? error).split("\n")[0];
}
