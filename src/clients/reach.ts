import { createHash } from "node:crypto";
import { isAbsolute } from "node:path";
import { maskArgs, maskUrl } from "../config/masked.ts";
import type { ServerConfig } from "../config/settings.ts";
import { stableJson } from "../lib/json.ts";

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
