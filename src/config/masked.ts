import type { LoadedSettings } from "./load.ts";
import { fileShapeOf } from "./merge.ts";
import type { ServerConfig } from "./settings.ts";

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

/** Secrets that stand in the open, in a server's arguments and its address. */
export function secretsInTheOpen({ args, url }: Pick<ServerConfig, "args" | "url">): string[] {
  return [...args.flatMap((arg, index) => secretsOfArg(arg, args[index - 1])), ...secretsOfUrl(url ?? "")];
}

export function maskArgs(args: readonly string[]): string[] {
  return args.map((arg, index) => maskIn(arg, secretsOfArg(arg, args[index - 1])));
}

export function maskUrl(written: string): string {
  return maskIn(written, secretsOfUrl(written));
}

/** Only where the secret stands: a short one may also be part of something else. */
function maskIn(text: string, secrets: readonly string[]): string {
  if (secrets.includes(text)) return MASK;
  const separators = ["=", ":", ": "];
  return secrets.reduce(
    (masked, secret) =>
      separators.reduce((rest, before) => rest.replaceAll(before + secret, before + MASK), masked),
    text,
  );
}

/** `--token=x`, `--api-key x`, `TOKEN=x`, `Authorization: x`, and addresses with a secret in them. */
function secretsOfArg(arg: string, before: string | undefined): string[] {
  if (before?.startsWith("-") && SECRET_WORD.test(before) && !/[=:]/.test(before))
    return [arg].filter(Boolean);
  const [, name, value] = /^([^=:\s]+)(?:=|:\s*)(.+)/s.exec(arg) ?? [];
  if (name && value && SECRET_WORD.test(name)) return [value];
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(arg) ? secretsOfUrl(arg) : [];
}

/** The password and the values of parameters that sound like a secret, as they are written. */
function secretsOfUrl(written: string): string[] {
  if (!URL.canParse(written)) return [];
  const [, password] = /^[^/]*\/\/[^/@]*?:([^/]*)@/.exec(written) ?? [];
  const query = /\?([^#]*)/.exec(written)?.[1] ?? "";
  const parameters = query.split("&").map((pair) => pair.split(/=(.*)/s));
  const values = parameters.flatMap(([name, value]) => (value && SECRET_WORD.test(name!) ? [value] : []));
  return [...(password ? [password] : []), ...values];
}
