/**
 * References to variables in the settings of clients. `${NAME}`, `${NAME:-default}` and `${env:NAME}` stand for the
 * environment, `${workspaceFolder}` and its like for folders, `${input:…}` for what a person is asked; Gemini CLI
 * also knows `$NAME`, opencode writes `{env:NAME}` and `{file:PATH}`.
 */
import { basename, resolve, sep } from "node:path";
import type { Environment } from "../../machine/config/environment.ts";
import type { Dialect } from "./client.ts";

export interface Meanings {
  readonly env: Environment;
  readonly home: string;
  /** The project; null where there is none. */
  readonly folder: string | null;
  /** The folder of the settings file, from which files are named. */
  readonly near: string;
  /** The text of a small file; undefined where it cannot be read. */
  readonly readText: (path: string) => Promise<string | undefined>;
}

export interface Expanded {
  readonly text: string;
  /** The references that were replaced by something that may be a secret, as they are written. */
  readonly used: readonly string[];
  /** Those that stand for nothing here; they stay in the text. */
  readonly missing: readonly string[];
}

/** Replaces what stands for something. A variable that is set to nothing counts as not set. */
export async function expand(
  text: string,
  style: Dialect["variables"],
  meanings: Meanings,
): Promise<Expanded> {
  const pattern = PATTERNS[style];
  if (!pattern) return { text, used: [], missing: [] };
  const used: string[] = [];
  const missing: string[] = [];
  let result = "";
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const [written, ...groups] = match;
    const meaning = await meaningOf(groups.find((group) => group !== undefined) ?? "", style, meanings);
    if (meaning === undefined) missing.push(written);
    else if (meaning.isSecret) used.push(written);
    result += text.slice(from, match.index) + (meaning?.text ?? written);
    from = match.index + written.length;
  }
  return { text: result + text.slice(from), used, missing };
}

const PATTERNS: Record<Dialect["variables"], RegExp | undefined> = {
  none: undefined,
  braces: /\$\{([^{}]{1,500})\}/g,
  shell: /\$\{([^{}]{1,500})\}|\$([A-Za-z_]\w{0,200})/g,
  opencode: /\{((?:env|file):[^{}]{1,500})\}/g,
};

interface Meaning {
  readonly text: string;
  readonly isSecret: boolean;
}

async function meaningOf(
  reference: string,
  style: Dialect["variables"],
  { env, home, folder, near, readText }: Meanings,
): Promise<Meaning | undefined> {
  const plain = (text: string | null) => (text === null ? undefined : { text, isSecret: false });
  if (style === "opencode") {
    const [, kind, value = ""] = /^(env|file):(.*)$/s.exec(reference) ?? [];
    return secret(
      kind === "env" ? env[value] : (await readText(resolve(near, value.replace(/^~(?=\/)/, home))))?.trim(),
    );
  }
  switch (reference) {
    case "workspaceFolder":
    case "workspaceRoot":
    case "cwd":
      return plain(folder);
    case "workspaceFolderBasename":
      return plain(folder && basename(folder));
    case "userHome":
      return plain(home);
    case "pathSeparator":
    case "/":
      return plain(sep);
    default:
      return variableMeant(reference, env);
  }
}

function variableMeant(reference: string, env: Environment): Meaning | undefined {
  const [, name, fallback] = /^(?:env:)?([A-Za-z_][\w.()-]*?)(?::-(.*))?$/s.exec(reference) ?? [];
  if (name === undefined) return undefined;
  return secret(env[name]) ?? (fallback === undefined ? undefined : { text: fallback, isSecret: false });
}

function secret(text: string | undefined): Meaning | undefined {
  return text ? { text, isSecret: true } : undefined;
}
