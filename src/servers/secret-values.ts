import { secretsNamedIn } from "../call/vault/placeholder.ts";
import { secretsInTheOpen } from "../machine/config/masked.ts";
import type { OAuthConfig, ServerConfig } from "../machine/config/settings.ts";

const SECRET_KEY = /key|token|secret|pass|auth|cred|cookie|session|private|signature/i;

/** What is no secret on its face: a word, a number, a path, an address without user or query. */
const PLAIN_VALUE = /^([a-z]+|[\d.,:]+|[~.]{0,2}\/.*|[a-z]:\\.*|https?:\/\/[^@?]*)$/i;

/**
 * The values that must not be shown anywhere. All headers count, and every variable but those that are plainly no
 * secret: hiding `production` or a folder's path would make holes in the output of every tool.
 */
export function secretValues(
  server: Pick<ServerConfig, "env" | "headers" | "args" | "url" | "oauth">,
): string[] {
  const { env, headers } = server;
  const variables = Object.entries(env)
    .filter(([key, value]) => SECRET_KEY.test(key) || !PLAIN_VALUE.test(value))
    .map(([, value]) => value);
  const tokens = Object.values(headers).flatMap((value) => [
    value,
    value.replace(/^(bearer|basic|token)\s+/i, ""),
  ]);
  const values = [...variables, ...tokens, ...secretsInTheOpen(server), ...secretsOfOAuth(server.oauth)];
  // The name of a secret is none; its value is known as that of the vault.
  return [...new Set(values)].filter((value) => secretsNamedIn(value).length === 0);
}

/** A key counts line by line: whoever prints it may break or indent its lines in another way. */
function secretsOfOAuth(oauth: OAuthConfig | null): string[] {
  if (oauth === null) return [];
  const lines = oauth.privateKey?.split(/\s*\n\s*/).filter((line) => line !== "" && !line.includes("-----"));
  return [...(oauth.clientSecret ? [oauth.clientSecret] : []), ...(lines ?? [])];
}
