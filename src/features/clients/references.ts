import type { Dialect } from "./client.ts";
import type { LooseIdentity } from "./contract.ts";
import type { ServerEntry } from "./import/server-entry.ts";
import { digestReachLoosely, type Reach } from "./reach.ts";
import { expand, type VariableContext } from "./variables.ts";

export interface ServerReferences {
  readonly parts: readonly string[];
  /** Parts with a reference that has no value here. */
  readonly missingIn: readonly string[];
}

/** The parts of a server that refer to variables or files. */
export async function findReferences(
  written: ServerEntry,
  style: Dialect["variables"],
  context: VariableContext,
): Promise<ServerReferences> {
  const parts: string[] = [];
  const missingIn: string[] = [];
  for (const [part, text, how] of listTexts(written, style)) {
    const { used, missing } = await expand(text, how, context);
    const mayChange = used.length > 0 || missing.length > 0 || (how !== "none" && WITH_DEFAULT.test(text));
    if (mayChange) parts.push(part);
    if (missing.length > 0) missingIn.push(part);
  }
  return { parts, missingIn };
}

export function buildLooseIdentity(
  reach: Reach,
  { parts, missingIn }: ServerReferences,
  passedVariables: readonly string[],
): LooseIdentity {
  const optional = passedVariables.map((name) => `env.${name}`);
  const ignored = [...parts, ...optional];
  return {
    references: parts,
    optional,
    digest: digestReachLoosely(reach, ignored, "values"),
    keysDigest: digestReachLoosely(reach, ignored, "keys"),
    isWhole: missingIn.length === 0,
  };
}

/** Leaves out the variables and headers whose value is unknown, since a reference is not a value. */
export function dropMissing<T extends Pick<Reach, "env" | "headers">>(
  server: T,
  missingIn: readonly string[],
): T {
  const keepKnown = (place: string, texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).filter(([key]) => !missingIn.includes(`${place}.${key}`)));
  return { ...server, env: keepKnown("env", server.env), headers: keepKnown("headers", server.headers) };
}

const WITH_DEFAULT = /\$\{[^{}]*:-/;

type PartText = readonly [part: string, text: string, style: Dialect["variables"]];

function listTexts(written: ServerEntry, style: Dialect["variables"]): PartText[] {
  const { command, args, env, cwd, url, headers, variableHeaders } = written;
  const keyed = (place: string, texts: Readonly<Record<string, string>>, how: Dialect["variables"]) =>
    Object.entries(texts).map(([key, text]): PartText => [`${place}.${key}`, text, how]);
  return [
    ...Object.entries({ command, cwd, url }).flatMap(([part, text]): PartText[] =>
      text === null ? [] : [[part, text, style]],
    ),
    ...args.map((text, index): PartText => [`args.${index}`, text, style]),
    ...keyed("env", env, style),
    ...keyed("headers", headers, style),
    ...keyed("headers", variableHeaders, "braces"),
  ];
}
