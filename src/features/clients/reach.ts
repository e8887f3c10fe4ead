import { createHash } from "node:crypto";
import { isAbsolute } from "node:path";
import { stableJson } from "../../lib/json.ts";
import { maskArgs, maskUrl } from "../../machine/config/masked.ts";
import type { ServerConfig } from "../../machine/config/settings.ts";

export type Reach = Pick<ServerConfig, "transport" | "command" | "args" | "env" | "cwd" | "url" | "headers">;

/**
 * Equal for two descriptions of the same server with the same credentials, whoever wrote them. The folder counts only
 * where the command depends on it.
 */
export function reachDigest(reach: Reach): string {
  const { transport, command, args, env, cwd, url, headers } = reach;
  const parts =
    transport === "stdio"
      ? { command, args, env, cwd: dependsOnFolder(reach) ? cwd : null }
      : { transport, url: normalUrl(url ?? ""), headers: lowerCased(headers) };
  return createHash("sha256").update(stableJson(parts)).digest("hex");
}

/**
 * The same where parts may differ: `env.KEY`, `headers.KEY`, `args.N`, `command`, `url`, `cwd`. Keys among them may be
 * missing altogether. With `keys`, no value of env and headers counts.
 */
export function looseDigest(reach: Reach, parts: readonly string[], counts: "values" | "keys"): string {
  const free = new Set(parts.map(normalPart));
  const counting = (place: "env" | "headers", texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(texts)
        .filter(([key]) => !free.has(normalPart(`${place}.${key}`)))
        .map(([key, value]) => [key, counts === "keys" ? "" : value]),
    );
  return reachDigest({
    ...reach,
    command: free.has("command") ? null : reach.command,
    args: reach.args.map((arg, index) => (free.has(`args.${index}`) ? "" : arg)),
    env: counting("env", reach.env),
    cwd: free.has("cwd") ? null : reach.cwd,
    url: free.has("url") ? null : reach.url,
    headers: counting("headers", reach.headers),
  });
}

/** Those of the parts, named as above, that have no value: they are not there, or a reference stands in their place. */
export function lackingParts(reach: Reach, parts: readonly string[]): string[] {
  const headers = lowerCased(reach.headers);
  return parts.filter((part) => {
    const [place, key = ""] = splitPart(normalPart(part));
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

/** `env.KEY` as `env` and `KEY`. */
export function splitPart(part: string): [place: string, key?: string] {
  const dot = part.indexOf(".");
  return dot === -1 ? [part] : [part.slice(0, dot), part.slice(dot + 1)];
}

const REFERENCE = /\$\{[^{}]+\}|\{(?:env|file):[^{}]+\}/;

function normalPart(part: string): string {
  return part.startsWith("headers.") ? part.toLowerCase() : part;
}

/** How a server is reached, for people: without what is, or looks like, a secret. */
export function shownReach({ command, args, url }: Pick<Reach, "command" | "args" | "url">): string {
  const text = url === null ? [command ?? "", ...maskArgs(args)].join(" ") : maskUrl(url);
  return text.replace(KNOWN_TOKEN, "***");
}

/** Whether a secret stands in what is shown to people: arguments and the address. */
export function showsSecret(reach: Pick<Reach, "command" | "args" | "url">): boolean {
  const plain = reach.url ?? [reach.command ?? "", ...reach.args].join(" ");
  return shownReach(reach) !== plain;
}

/** Tokens of well-known services begin alike; an argument may hold one without a word that says so. */
const KNOWN_TOKEN =
  /\b(?:sk-|gh[pousr]_|github_pat_|glpat-|xox[abposr]-|AKIA|AIza|hf_|npm_|tk_sk_)[\w-]{8,}/g;

const SCRIPT = /^[\w@.-][\w@./-]*\.(?:[cm]?[jt]s|py|rb|sh|jar|php)$/;

function dependsOnFolder({ command, args }: Pick<Reach, "command" | "args">): boolean {
  const isRelative = (word: string) => /^\.{1,2}(?:\/|$)/.test(word) || SCRIPT.test(word);
  const program = command ?? "";
  return (program.includes("/") && !isAbsolute(program)) || args.some(isRelative);
}

function normalUrl(url: string): string {
  return (URL.canParse(url) ? new URL(url).href : url).replace(/\/+$/, "");
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
