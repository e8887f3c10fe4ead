import type { LoadedSettings } from "./load.ts";
import { fileShapeOf } from "./merge.ts";
import type { OAuthConfig, ServerConfig, Settings } from "./settings.ts";

const MASK = "***";

const SECRET_WORD =
  /token|secret|passw|pwd|(api|access|private)[-_]?key|credential|auth|signature|jwt|bearer/i;
/** The parameter `key` of a URL is a secret, too. */
const SECRET_PARAMETER = /^(key|sig|code)$/i;
/** A random-looking part of a path: some services put the token there. */
const RANDOM_PART = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9_~=+-]{24,}$/;

/** The settings as a file would have them, without any secret, for `toolkeep config show`. */
export function maskedSettings({ settings }: LoadedSettings): Record<string, unknown> {
  return fileShapeOf({
    ...settings,
    databaseUrl: settings.databaseUrl && maskUrl(settings.databaseUrl),
    web: { ...settings.web, search: maskEndpoint(settings.web.search) },
    approvals: maskApprovals(settings.approvals),
    embeddings: maskEndpoint(settings.embeddings),
    telemetry: {
      otlpUrl: settings.telemetry.otlpUrl && maskUrl(settings.telemetry.otlpUrl),
      otlpHeaders: settings.telemetry.otlpHeaders && MASK,
    },
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

function maskEndpoint<T extends { readonly url: string | null; readonly apiKey: string | null }>(
  endpoint: T,
): T {
  const { url, apiKey } = endpoint;
  return { ...endpoint, url: url && maskUrl(url), apiKey: maskKey(apiKey) };
}

function maskApprovals(approvals: Settings["approvals"]): Settings["approvals"] {
  const { webhookUrl, webhookSecret } = approvals;
  return {
    ...approvals,
    webhookUrl: webhookUrl && maskUrl(webhookUrl),
    webhookSecret: maskKey(webhookSecret),
  };
}

/** The name of a secret in the vault is not one. */
function maskKey(written: string | null): string | null {
  const isName = written !== null && /^\{\{secret:\w+\}\}$/.test(written);
  return isName ? written : written && MASK;
}

function maskOauth(oauth: OAuthConfig): OAuthConfig {
  return {
    ...oauth,
    clientSecret: oauth.clientSecret && MASK,
    privateKey: oauth.privateKey && MASK,
    clientMetadataUrl: oauth.clientMetadataUrl && maskUrl(oauth.clientMetadataUrl),
  };
}

/** Secrets that stand in the open, in a server's arguments and its address, as written and as they are meant. */
export function secretsInTheOpen({ args, url }: Pick<ServerConfig, "args" | "url">): string[] {
  const inArgs = args.flatMap((arg, index) => secretsOfArg(arg, args[index - 1]));
  const written = [...inArgs, ...secretsOfUrl(url ?? "")];
  return [...new Set([...written, ...written.map(decoded)])];
}

export function maskArgs(args: readonly string[]): string[] {
  return args.map((arg, index) => maskIn(arg, secretsOfArg(arg, args[index - 1])));
}

export function maskUrl(written: string): string {
  return maskIn(written, secretsOfUrl(written));
}

/** Masks only the place of the secret, because a short one may also be part of another word. */
function maskIn(text: string, secrets: readonly string[]): string {
  if (secrets.includes(text)) return MASK;
  const separators = ["=", ":", ": ", "/"];
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

/** The password, parameters that sound like a secret and parts of the path that look like one, as they are written. */
function secretsOfUrl(written: string): string[] {
  if (!URL.canParse(written)) return [];
  const [, password] = /^[^/]*\/\/[^/@]*?:([^/]*)@/.exec(written) ?? [];
  const query = /\?([^#]*)/.exec(written)?.[1] ?? "";
  const parameters = query.split("&").map((pair) => pair.split(/=(.*)/s));
  const values = parameters.flatMap(([name, value]) => (value && isSecretName(name!) ? [value] : []));
  const path = /^[^/]*\/\/[^/]*([^?#]*)/.exec(written)?.[1] ?? "";
  const parts = path.split("/").filter((part) => RANDOM_PART.test(part));
  return [...(password ? [password] : []), ...values, ...parts];
}

function isSecretName(name: string): boolean {
  return SECRET_WORD.test(name) || SECRET_PARAMETER.test(name);
}

function decoded(written: string): string {
  try {
    return decodeURIComponent(written.replaceAll("+", " "));
  } catch {
    return written;
  }
}
