/** Checks a server's `oauth` and `tls` from every origin, and formats them for a settings file. */
import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { z } from "zod";
import { messageOf } from "../../../contract/errors.ts";
import { isRecord } from "../../../lib/json.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { KeyPath } from "../document/document.ts";
import { httpUrl, oneOf, text } from "../document/expectation.ts";
import type { FileReport } from "../problem.ts";
import type { OAuthConfig, TlsConfig } from "../settings.ts";

/** The algorithms that may sign a client assertion. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
] as const;
/** A private key in PEM is a few kilobytes. */
const MAX_KEY_LENGTH = 65_536;
const SCOPES = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;

export const oauthFields = z
  .object({
    grant: oneOf(["authorization_code", "client_credentials"]).default("authorization_code"),
    clientId: text("the id of a client", 2048).nullable().default(null),
    clientSecret: text("the secret of a client").nullable().default(null),
    privateKey: privateKey().nullable().default(null),
    privateKeyAlgorithm: oneOf(ALGORITHMS).nullable().default(null),
    clientMetadataUrl: metadataUrl().nullable().default(null),
    scope: scopes().nullable().default(null),
  })
  .superRefine((oauth, context) => {
    if (oauth.grant !== "client_credentials") return;
    const need = (field: keyof OAuthConfig, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    if (oauth.clientId === null) need("clientId", "the id of a client, because grant is client_credentials");
    if (oauth.clientSecret === null && oauth.privateKey === null)
      need("clientSecret", "a secret or a private key, because grant is client_credentials");
  });

export const tlsFields = z
  .object({
    cert: pemFile().nullable().default(null),
    key: pemFile().nullable().default(null),
    ca: pemFile().nullable().default(null),
  })
  .superRefine((tls, context) => {
    if ((tls.cert === null) === (tls.key === null)) return;
    const [missing, given] = tls.key === null ? ["key", "cert"] : ["cert", "key"];
    context.addIssue({
      code: "custom",
      path: [missing],
      message: `the file of the ${missing} too, because ${given} is given`,
    });
  });

/** The keys of `oauth` in an entry, with their defaults for the documentation. */
export const OAUTH_KEYS: Readonly<
  Record<string, { readonly default: string; readonly description: string }>
> = {
  grant: {
    default: "authorization_code",
    description:
      "`authorization_code`: a person signs in once, with `toolkeep server auth`; `client_credentials`: nobody has to.",
  },
  client_id: { default: "", description: "The client that was registered with the server beforehand." },
  client_secret: { default: "", description: "Its secret." },
  private_key: {
    default: "",
    description: "Instead of a secret, the PEM text of the key that signs for the client.",
  },
  private_key_file: { default: "", description: "The same from a file." },
  private_key_algorithm: {
    default: "",
    description: `How that key signs: ${ALGORITHMS.map((name) => `\`${name}\``).join(", ")}; as it fits the key where not given.`,
  },
  client_metadata_url: {
    default: "",
    description: "The https address of a document that describes the client, which then is its id.",
  },
  scope: {
    default: "",
    description: "What to ask for, as a list or separated by spaces; what the server names where not given.",
  },
};

/** The keys of `tls` in an entry: PEM files, relative to the settings file. */
export const TLS_KEYS: Readonly<Record<string, { readonly default: string; readonly description: string }>> =
  {
    cert: { default: "", description: "A PEM file with the client certificate." },
    key: { default: "", description: "A PEM file with its private key." },
    ca: { default: "", description: "A PEM file with the authorities that may vouch for the server." },
  };

/** `false`, as one program writes it, asks for nothing. Undefined when something is wrong; what, is in the report. */
export function readOAuth(
  given: unknown,
  path: KeyPath,
  report: FileReport,
): Partial<OAuthConfig> | null | undefined {
  if (given === undefined || given === false) return null;
  const written = objectOf(given, "an object that says how to sign in, or false", path, report);
  if (!written) return undefined;
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(written)) {
    const field = OAUTH_FIELDS[key];
    if (field === undefined) report.unknownKey([...path, key], Object.keys(OAUTH_KEYS));
    else fields[field] = field === "scope" && Array.isArray(value) ? value.join(" ") : value;
  }
  if (fields.privateKeyFile !== undefined) {
    const key = readKey(fields.privateKeyFile, report);
    if (!key.ok) {
      report.expectedInstead([...path, "private_key_file"], "a file with a private key in PEM", key.error);
      return undefined;
    }
    fields.privateKey ??= key.value;
  }
  const { privateKeyFile: _, ...oauth } = fields;
  return oauth as Partial<OAuthConfig>;
}

export function readTls(
  given: unknown,
  path: KeyPath,
  report: FileReport,
): Partial<TlsConfig> | null | undefined {
  if (given === undefined) return null;
  const written = objectOf(given, "an object with the files of a client certificate", path, report);
  if (!written) return undefined;
  for (const key of Object.keys(written)) {
    if (!Object.hasOwn(TLS_KEYS, key)) report.unknownKey([...path, key], Object.keys(TLS_KEYS));
  }
  const files = Object.entries(written).map(([key, file]) => [key, fullPath(file, report.folder)]);
  return Object.fromEntries(files.filter(([key]) => Object.hasOwn(TLS_KEYS, key as string)));
}

/** Formats `oauth` for a file, without values that are not set. */
export function fileOAuthOf(oauth: OAuthConfig | null): Record<string, unknown> | null {
  return (
    oauth &&
    withoutNulls({
      grant: oauth.grant,
      client_id: oauth.clientId,
      client_secret: oauth.clientSecret,
      private_key: oauth.privateKey,
      private_key_algorithm: oauth.privateKeyAlgorithm,
      client_metadata_url: oauth.clientMetadataUrl,
      scope: oauth.scope,
    })
  );
}

export function fileTlsOf(tls: TlsConfig | null): Record<string, unknown> | null {
  return tls && withoutNulls({ ...tls });
}

/** The key of a settings file for a field of `oauth`. */
export function oauthKeyOf(field: string): string {
  return Object.keys(OAUTH_KEYS).find((key) => OAUTH_FIELDS[key] === field) ?? field;
}

/** Both ways of writing, and the words of other programs. */
const OAUTH_FIELDS: Readonly<Record<string, string>> = {
  grant: "grant",
  grant_type: "grant",
  grantType: "grant",
  client_id: "clientId",
  clientId: "clientId",
  client_secret: "clientSecret",
  clientSecret: "clientSecret",
  private_key: "privateKey",
  privateKey: "privateKey",
  private_key_file: "privateKeyFile",
  privateKeyFile: "privateKeyFile",
  private_key_algorithm: "privateKeyAlgorithm",
  privateKeyAlgorithm: "privateKeyAlgorithm",
  client_metadata_url: "clientMetadataUrl",
  clientMetadataUrl: "clientMetadataUrl",
  scope: "scope",
  scopes: "scope",
};

function objectOf(
  given: unknown,
  expected: string,
  path: KeyPath,
  report: FileReport,
): Record<string, unknown> | undefined {
  if (isRecord(given)) return withoutNulls(given);
  report.expected(path, expected, given);
  return undefined;
}

function readKey(file: unknown, report: FileReport): Result<string, string> {
  if (typeof file !== "string" || file === "") return err("something that is no path");
  const path = fullPath(file, report.folder);
  try {
    const found = statSync(path);
    if (!found.isFile() || found.size > MAX_KEY_LENGTH)
      return err("something else, or one that is too large");
    return ok(readFileSync(path, "utf8"));
  } catch (error) {
    return err(`a file that cannot be read (${messageOf(error)})`);
  }
}

/** A shell expands `~`, a settings file does not. */
export function fullPath<T>(file: T, folder: string): T | string {
  if (typeof file !== "string" || file === "") return file;
  if (file === "~" || file.startsWith("~/")) return join(homedir(), file.slice(1));
  return resolve(folder, file);
}

function pemFile() {
  const expected = "the absolute path of a PEM file";
  return text(expected).refine(isAbsolute, expected);
}

function privateKey() {
  const expected = "a private key in PEM";
  return z
    .string(expected)
    .max(MAX_KEY_LENGTH, expected)
    .regex(/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+-----END [A-Z ]*PRIVATE KEY-----/, expected);
}

function metadataUrl() {
  const expected = "an https:// URL with a path";
  return httpUrl().refine((url) => /^https:/i.test(url) && new URL(url).pathname !== "/", expected);
}

function scopes() {
  const expected = "scopes separated by one space";
  return z.string(expected).max(4096, expected).regex(SCOPES, expected);
}

function withoutNulls(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}
