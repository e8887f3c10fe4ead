import { secretsInTheOpen } from "../config/masked.ts";
import type { ServerConfig } from "../config/settings.ts";

/** Env and header values of a server, by key. */
export interface ServerSecrets {
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

const SECRET_KEY = /key|token|secret|pass|auth|cred|cookie|session|private|signature/i;

/** What is no secret on its face: a word, a number, a path, an address without user or query. */
const PLAIN_VALUE = /^([a-z]+|[\d.,:]+|[~.]{0,2}\/.*|[a-z]:\\.*|https?:\/\/[^@?]*)$/i;

/**
 * The values that must not be shown anywhere. All headers count, and every variable but those that are plainly no
 * secret: hiding `production` or a folder's path would make holes in the output of every tool.
 */
export function secretValues(server: ServerSecrets & Pick<ServerConfig, "args" | "url">): string[] {
  const { env, headers } = server;
  const variables = Object.entries(env)
    .filter(([key, value]) => SECRET_KEY.test(key) || !PLAIN_VALUE.test(value))
    .map(([, value]) => value);
  const tokens = Object.values(headers).flatMap((value) => [
    value,
    value.replace(/^(bearer|basic|token)\s+/i, ""),
  ]);
  return [...new Set([...variables, ...tokens, ...secretsInTheOpen(server)])];
}
