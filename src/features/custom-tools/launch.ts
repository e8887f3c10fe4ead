import { extname } from "node:path";
import { err, ok, type Result } from "../../lib/result.ts";
import { findProgram } from "../../machine/process/find-program.ts";
import type { Manifest } from "./manifest.ts";
import type { ScriptFile } from "./script-folder.ts";

/** How to start a script. `program` is an absolute path; undefined if the script itself is the program. */
export interface Launch {
  readonly program: string | undefined;
  readonly args: readonly string[];
}

/** Interpreters in order of preference. */
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
/** Longer than any kernel supports. */
const MAX_SHEBANG = 512;

/** The error says what is missing and what to do. `path` is the `PATH` of the script. */
export async function findLaunch(
  manifest: Pick<Manifest, "entry" | "interpreter">,
  script: ScriptFile,
  path: string | undefined,
): Promise<Result<Launch, string>> {
  const [named, ...args] = manifest.interpreter ?? parseShebang(script.content) ?? [];
  if (named !== undefined) return findInterpreter([named], args, path);

  const extension = extname(manifest.entry).toLowerCase();
  // The Node that runs Toolkeep always exists.
  if (BY_NODE.has(extension)) return ok({ program: process.execPath, args: [] });
  if (TYPESCRIPT.has(extension)) return findTypeScript();
  const programs = BY_EXTENSION[extension];
  if (programs) return findInterpreter(programs, [], path);
  if (script.isExecutable) return ok({ program: undefined, args: [] });
  return err(
    `it is not clear how to run ${manifest.entry}: start it with a #! line, name it .sh, .py, .js, .rb or .pl, make it executable, or set "interpreter"`,
  );
}

async function findInterpreter(
  names: readonly string[],
  args: readonly string[],
  path: string | undefined,
): Promise<Result<Launch, string>> {
  for (const name of names) {
    const program = await findProgram(name, path);
    if (program !== undefined) return ok({ program, args });
  }
  const [first] = names;
  return err(
    first!.startsWith("/")
      ? `its interpreter ${first} does not exist on this machine; install it, or set another one`
      : `its interpreter ${names.join(" or ")} is not on the PATH; install it, or set its absolute path as "interpreter"`,
  );
}

/** `process.features.typescript` exists since Node 22.10 and says whether types are stripped. */
function findTypeScript(): Result<Launch, string> {
  const features = process.features as { readonly typescript?: unknown };
  if (features.typescript) return ok({ program: process.execPath, args: ["--no-warnings"] });
  return err(
    `this Node.js (${process.version}) does not run TypeScript; use 22.18 or later, name the script .js, or set "interpreter"`,
  );
}

/** Returns `python3` and `-u` for `#!/usr/bin/env -S python3 -u`; undefined if there is no such line. */
function parseShebang(content: Buffer): readonly string[] | undefined {
  const start = content.subarray(0, MAX_SHEBANG).toString("utf8");
  if (!start.startsWith("#!")) return undefined;
  const words = start.slice(2).split("\n", 1)[0]!.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  if (!/\/env$/.test(words[0]!)) return words;
  const named = words.slice(1).filter((word, index) => !(index === 0 && word === "-S"));
  return named.length > 0 ? named : undefined;
}
