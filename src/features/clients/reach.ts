import { createHash } from "node:crypto";
import { isAbsolute } from "node:path";
import { stableJson } from "../../lib/json.ts";
import { maskArgs, maskUrl } from "../../machine/config/masked.ts";
import type { ServerConfig } from "../../machine/config/settings.ts";

export type Reach = Pick<ServerConfig, "transport" | "command" | "args" | "env" | "cwd" | "url" | "headers">;

/**
 * Equal for two descriptions of the same server with the same credentials, whichever client wrote them. The folder counts
 * only if the command depends on it.
 */
export function digestReach(reach: Reach): string {
  const { transport, command, args, env, cwd, url, headers } = reach;
  const parts =
    transport === "stdio"
      ? { command, args, env, cwd: dependsOnFolder(reach) ? cwd : null }
      : { transport, url: normalizeUrl(url ?? ""), headers: lowerCaseKeys(headers) };
  return createHash("sha256").update(stableJson(parts)).digest("hex");
}

/**
 * Like `digestReach`, ignoring the given parts: `env.KEY`, `headers.KEY`, `args.N`, `command`, `url`, `cwd`. Ignored keys
 * may also be missing. With `keys`, all values of env and headers are ignored.
 */
export function digestReachLoosely(
  reach: Reach,
  parts: readonly string[],
  counts: "values" | "keys",
): string {
  const ignored = new Set(parts.map(normalizePart));
  const keepRelevant = (place: "env" | "headers", texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(texts)
        .filter(([key]) => !ignored.has(normalizePart(`${place}.${key}`)))
        .map(([key, value]) => [key, counts === "keys" ? "" : value]),
    );
  return digestReach({
    ...reach,
    command: ignored.has("command") ? null : reach.command,
    args: reach.args.map((arg, index) => (ignored.has(`args.${index}`) ? "" : arg)),
    env: keepRelevant("env", reach.env),
    cwd: ignored.has("cwd") ? null : reach.cwd,
    url: ignored.has("url") ? null : reach.url,
    headers: keepRelevant("headers", reach.headers),
  });
}

/** The given parts, named as above, that have no value: they are missing, or contain an unresolved reference. */
export function findMissingParts(reach: Reach, parts: readonly string[]): string[] {
  const headers = lowerCaseKeys(reach.headers);
  return parts.filter((part) => {
    const [place, key = ""] = splitPart(normalizePart(part));
    const text =
      place === "env"
        ? reach.env[key]
        : place === "headers"
          ? headers[key]
          : place === "args"
            ? reach.args[Number(key)]
            : reach[place as "command" | "url" | "cwd"];
    return text === undefined || text === null || REFERENCE.test(text);
  });
}

/** Splits `env.KEY` into `env` and `KEY`. */
export function splitPart(part: string): [place: string, key?: string] {
  const dot = part.indexOf(".");
  return dot === -1 ? [part] : [part.slice(0, dot), part.slice(dot + 1)];
}

const REFERENCE = /\$\{[^{}]+\}|\{(?:env|file):[^{}]+\}/;

function normalizePart(part: string): string {
  return part.startsWith("headers.") ? part.toLowerCase() : part;
}

/** How a server is reached, for people, with everything masked that is or looks like a secret. */
export function maskReach({ command, args, url }: Pick<Reach, "command" | "args" | "url">): string {
  const text = url === null ? [command ?? "", ...maskArgs(args)].join(" ") : maskUrl(url);
  return text.replace(KNOWN_TOKEN, "***");
}

/** Whether the arguments or the address contain a secret. */
export function containsSecret(reach: Pick<Reach, "command" | "args" | "url">): boolean {
  const plain = reach.url ?? [reach.command ?? "", ...reach.args].join(" ");
  return maskReach(reach) !== plain;
}

/** Prefixes of tokens of well-known services, which may appear in arguments without a telling option name. */
const KNOWN_TOKEN =
  /\b(?:sk-|gh[pousr]_|github_pat_|glpat-|xox[abposr]-|AKIA|AIza|hf_|npm_|tk_sk_)[\w-]{8,}/g;

const SCRIPT = /^[\w@.-][\w@./-]*\.(?:[cm]?[jt]s|py|rb|sh|jar|php)$/;

function dependsOnFolder({ command, args }: Pick<Reach, "command" | "args">): boolean {
  const isRelative = (word: string) => /^\.{1,2}(?:\/|$)/.test(word) || SCRIPT.test(word);
  const program = command ?? "";
  return (program.includes("/") && !isAbsolute(program)) || args.some(isRelative);
}

function normalizeUrl(url: string): string {
  return (URL.canParse(url) ? new URL(url).href : url).replace(/\/+$/, "");
}

function lowerCaseKeys(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
