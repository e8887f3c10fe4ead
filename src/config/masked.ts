import type { LoadedSettings } from "./load.ts";
import { fileShapeOf } from "./merge.ts";

const MASK = "***";

/** Parts of `oauth` that are no secret. */
const PUBLIC_OAUTH = new Set([
  "client_id",
  "clientId",
  "scope",
  "scopes",
  "issuer",
  "redirect_uri",
  "redirectUri",
]);
const SECRET_WORD = /token|secret|passw|api[-_]?key|apikey|credential|auth/i;

/** The settings as a file would have them, without any secret, for `toolkeep config show`. */
export function maskedSettings({ settings }: LoadedSettings): Record<string, unknown> {
  return fileShapeOf({
    ...settings,
    databaseUrl: settings.databaseUrl && maskUrl(settings.databaseUrl),
    servers: settings.servers.map((server) => ({
      ...server,
      args: maskArgs(server.args),
      env: maskValues(server.env),
      url: server.url && maskUrl(server.url),
      headers: maskValues(server.headers),
      oauth: server.oauth && maskOauth(server.oauth),
    })),
  });
}

function maskValues(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(values).map((key) => [key, MASK]));
}

function maskOauth(oauth: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(oauth).map(([key, value]) => [key, PUBLIC_OAUTH.has(key) ? value : MASK]),
  );
}

/** Without the password and the values of parameters that sound like a secret; otherwise as it was written. */
function maskUrl(written: string): string {
  const url = new URL(written);
  const secrets = [...url.searchParams.keys()].filter((name) => SECRET_WORD.test(name));
  if (url.password === "" && secrets.length === 0) return written;
  if (url.password !== "") url.password = MASK;
  for (const name of secrets) url.searchParams.set(name, MASK);
  return url.href;
}

/** `--token=x`, `--api-key x`, `TOKEN=x`, `Authorization: x`, and addresses with a password in them. */
function maskArgs(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    const before = args[index - 1];
    if (before?.startsWith("-") && SECRET_WORD.test(before) && !/[=:]/.test(before)) return MASK;
    const [, name, separator] = /^([^=:\s]+)(=|:\s*)./.exec(arg) ?? [];
    if (name && SECRET_WORD.test(name)) return `${name}${separator}${MASK}`;
    return URL.canParse(arg) && /^[a-z][a-z0-9+.-]*:\/\//i.test(arg) ? maskUrl(arg) : arg;
  });
}
