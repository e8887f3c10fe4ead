import type { Dialect } from "./client.ts";
import type { WrittenServer } from "./import/written-server.ts";
import { looseDigest, type Reach } from "./reach.ts";
import { expand, type Meanings } from "./variables.ts";

/** By what a server is known again when the values of its variables have changed since. Holds no value. */
export interface Loose {
  /** The parts that hold references, named as `looseDigest` names them. */
  readonly references: readonly string[];
  /** Parts that are there only while a variable is set. */
  readonly optional: readonly string[];
  /** Of everything beside these parts. */
  readonly digest: string;
  /** The same without any value of env and headers. */
  readonly keysDigest: string;
  /** Whether every reference stands for something. */
  readonly isWhole: boolean;
}

export interface References {
  readonly parts: readonly string[];
  /** Those with a reference that stands for nothing here. */
  readonly missingIn: readonly string[];
}

/** Where the texts of a server refer to variables or files. */
export async function referencesIn(
  written: WrittenServer,
  style: Dialect["variables"],
  meanings: Meanings,
): Promise<References> {
  const parts: string[] = [];
  const missingIn: string[] = [];
  for (const [part, text, how] of textsOf(written, style)) {
    const { used, missing } = await expand(text, how, meanings);
    const mayChange = used.length > 0 || missing.length > 0 || (how !== "none" && WITH_DEFAULT.test(text));
    if (mayChange) parts.push(part);
    if (missing.length > 0) missingIn.push(part);
  }
  return { parts, missingIn };
}

export function looseOf(reach: Reach, { parts, missingIn }: References, handedOn: readonly string[]): Loose {
  const optional = handedOn.map((name) => `env.${name}`);
  const free = [...parts, ...optional];
  return {
    references: parts,
    optional,
    digest: looseDigest(reach, free, "values"),
    keysDigest: looseDigest(reach, free, "keys"),
    isWhole: missingIn.length === 0,
  };
}

/** Without the variables and headers whose value is not known: a reference is no value. */
export function withoutMissing<T extends Pick<Reach, "env" | "headers">>(
  server: T,
  missingIn: readonly string[],
): T {
  const kept = (place: string, texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).filter(([key]) => !missingIn.includes(`${place}.${key}`)));
  return { ...server, env: kept("env", server.env), headers: kept("headers", server.headers) };
}

const WITH_DEFAULT = /\$\{[^{}]*:-/;

type Text = readonly [part: string, text: string, style: Dialect["variables"]];

function textsOf(written: WrittenServer, style: Dialect["variables"]): Text[] {
  const { command, args, env, cwd, url, headers, variableHeaders } = written;
  const keyed = (place: string, texts: Readonly<Record<string, string>>, how: Dialect["variables"]) =>
    Object.entries(texts).map(([key, text]): Text => [`${place}.${key}`, text, how]);
  return [
    ...Object.entries({ command, cwd, url }).flatMap(([part, text]): Text[] =>
      text === null ? [] : [[part, text, style]],
    ),
    ...args.map((text, index): Text => [`args.${index}`, text, style]),
    ...keyed("env", env, style),
    ...keyed("headers", headers, style),
    ...keyed("headers", variableHeaders, "braces"),
  ];
}
