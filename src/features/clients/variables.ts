/**
 * Expands references to variables in the settings of clients. `${NAME}`, `${NAME:-default}` and `${env:NAME}` refer to
 * the environment, `${workspaceFolder}` and the like to folders, `${input:…}` to a question to the person. Gemini CLI
 * also supports `$NAME`, opencode uses `{env:NAME}` and `{file:PATH}`.
 */
import { basename, resolve, sep } from "node:path";
import type { Environment } from "../../machine/config/environment.ts";
import type { Dialect } from "./client.ts";

export interface VariableContext {
  readonly env: Environment;
  readonly home: string;
  /** The project folder; null outside a project. */
  readonly folder: string | null;
  /** The folder of the settings file, which relative paths start from. */
  readonly near: string;
  /** The text of a small file; undefined if it cannot be read. */
  readonly readText: (path: string) => Promise<string | undefined>;
}

export interface ExpandedText {
  readonly text: string;
  /** The expanded references whose values may be secrets, as written. */
  readonly used: readonly string[];
  /** The references without a value; they stay in the text. */
  readonly missing: readonly string[];
}

/** Replaces the references that have a value. An empty variable counts as unset. */
export async function expand(
  text: string,
  style: Dialect["variables"],
  context: VariableContext,
): Promise<ExpandedText> {
  const pattern = PATTERNS[style];
  if (!pattern) return { text, used: [], missing: [] };
  const used: string[] = [];
  const missing: string[] = [];
  let result = "";
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const [written, ...groups] = match;
    const value = await resolveReference(groups.find((group) => group !== undefined) ?? "", style, context);
    if (value === undefined) missing.push(written);
    else if (value.isSecret) used.push(written);
    result += text.slice(from, match.index) + (value?.text ?? written);
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

interface ReferenceValue {
  readonly text: string;
  readonly isSecret: boolean;
}

async function resolveReference(
  reference: string,
  style: Dialect["variables"],
  { env, home, folder, near, readText }: VariableContext,
): Promise<ReferenceValue | undefined> {
  const plainValue = (text: string | null) => (text === null ? undefined : { text, isSecret: false });
  if (style === "opencode") {
    const [, kind, value = ""] = /^(env|file):(.*)$/s.exec(reference) ?? [];
    return secretValue(
      kind === "env" ? env[value] : (await readText(resolve(near, value.replace(/^~(?=\/)/, home))))?.trim(),
    );
  }
  switch (reference) {
    case "workspaceFolder":
    case "workspaceRoot":
    case "cwd":
      return plainValue(folder);
    case "workspaceFolderBasename":
      return plainValue(folder && basename(folder));
    case "userHome":
      return plainValue(home);
    case "pathSeparator":
    case "/":
      return plainValue(sep);
    default:
      return resolveVariable(reference, env);
  }
}

function resolveVariable(reference: string, env: Environment): ReferenceValue | undefined {
  const [, name, fallback] = /^(?:env:)?([A-Za-z_][\w.()-]*?)(?::-(.*))?$/s.exec(reference) ?? [];
  if (name === undefined) return undefined;
  return secretValue(env[name]) ?? (fallback === undefined ? undefined : { text: fallback, isSecret: false });
}

function secretValue(text: string | undefined): ReferenceValue | undefined {
  return text ? { text, isSecret: true } : undefined;
}
