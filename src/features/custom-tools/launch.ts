import { extname } from "node:path";
import { err, ok, type Result } from "../../lib/result.ts";
import { findProgram } from "../../machine/process/find-program.ts";
import type { Manifest } from "./manifest.ts";
import type { ScriptFile } from "./script-folder.ts";

/** How a script is started: `program` is absolute; undefined: the script itself is the program. */
export interface Launch {
  readonly program: string | undefined;
  readonly args: readonly string[];
}

/** In the order in which they are looked for. */
const BY_EXTENSION: Readonly<Record<string, readonly string[]>> = {
  ".sh": ["bash", "sh"],
  ".bash": ["bash"],
  ".py": ["python3", "python"],
  ".rb": ["ruby"],
  ".pl": ["perl"],
  ".php": ["php"],
  ".lua": ["lua"],
};
const BY_NODE = new Set([".js", ".mjs", ".cjs"]);
const TYPESCRIPT = new Set([".ts", ".mts", ".cts"]);
/** Longer than any that a kernel takes. */
const MAX_SHEBANG = 512;

/** Says in the error what is missing and what to do about it. `path` is the `PATH` that the script will have. */
export async function launchOf(
  manifest: Pick<Manifest, "entry" | "interpreter">,
  script: ScriptFile,
  path: string | undefined,
): Promise<Result<Launch, string>> {
  const [named, ...args] = manifest.interpreter ?? shebangOf(script.content) ?? [];
  if (named !== undefined) return withProgram([named], args, path);

  const extension = extname(manifest.entry).toLowerCase();
  // The one that runs this program, so that it is there for certain.
  if (BY_NODE.has(extension)) return ok({ program: process.execPath, args: [] });
  if (TYPESCRIPT.has(extension)) return typescript();
  const programs = BY_EXTENSION[extension];
  if (programs) return withProgram(programs, [], path);
  if (script.isExecutable) return ok({ program: undefined, args: [] });
  return err(
    `nothing says how to run ${manifest.entry}: begin it with a #! line, name it .sh, .py, .js, .rb or .pl, make it executable, or give "interpreter"`,
  );
}

async function withProgram(
  names: readonly string[],
  args: readonly string[],
  path: string | undefined,
): Promise<Result<Launch, string>> {
  for (const name of names) {
    const program = await findProgram(name, path);
    if (program !== undefined) return ok({ program, args });
  }
  const [wanted] = names;
  return err(
    wanted!.startsWith("/")
      ? `its interpreter ${wanted} is not on this machine; install it, or name another one`
      : `its interpreter ${names.join(" or ")} is not on the PATH; install it, or give its whole path as "interpreter"`,
  );
}

/** `process.features.typescript` is there from Node 22.10 on, and says whether types are taken out. */
function typescript(): Result<Launch, string> {
  const features = process.features as { readonly typescript?: unknown };
  if (features.typescript) return ok({ program: process.execPath, args: ["--no-warnings"] });
  return err(
    `this Node.js (${process.version}) does not run TypeScript; use 22.18 or later, name the script .js, or give "interpreter"`,
  );
}

/** `#!/usr/bin/env -S python3 -u` names `python3` with `-u`; undefined: there is no such line. */
function shebangOf(content: Buffer): readonly string[] | undefined {
  const start = content.subarray(0, MAX_SHEBANG).toString("utf8");
  if (!start.startsWith("#!")) return undefined;
  const words = start.slice(2).split("\n", 1)[0]!.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  if (!/\/env$/.test(words[0]!)) return words;
  const named = words.slice(1).filter((word, index) => !(index === 0 && word === "-S"));
  return named.length > 0 ? named : undefined;
}
