/**
 * Validates a server's configuration and fills in defaults, for servers in files, stored servers and servers that the
 * API registers. There is no other place that does.
 */
import { z } from "zod";
import { ToolkeepError } from "../../../contract/errors.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { describeGot, valueAt } from "../document/describe-got.ts";
import { httpUrl, oneOf, text, timeoutMs, wholeNumber, yesOrNo } from "../document/expectation.ts";
import type { OAuthConfig, ServerConfig, TlsConfig } from "../settings.ts";
import { oauthFields, tlsFields } from "./server-auth.ts";
import { type SandboxInput, sandboxFields } from "./server-sandbox.ts";

/** The given fields of a server. Missing ones get their defaults, also inside `oauth` and `tls`. */
export type ServerFields = Partial<Omit<ServerConfig, "name" | "source" | "oauth" | "tls" | "sandbox">> & {
  readonly oauth?: Partial<OAuthConfig> | null;
  readonly tls?: Partial<TlsConfig> | null;
  readonly sandbox?: SandboxInput | undefined;
};

/** A problem with one field. `path` is empty for the name. */
export interface FieldProblem {
  readonly path: readonly PropertyKey[];
  readonly expected: string;
  readonly got: string;
}

/** Fills in the defaults. Throws BAD_REQUEST with the field, the expectation and the actual value. */
export function completeServerConfig(
  name: string,
  input: ServerFields,
  source: ServerConfig["source"],
): ServerConfig {
  const checked = checkServerConfig(name, input, source);
  if (checked.ok) return checked.value;
  const problems = checked.error.map(({ path, expected, got }) => {
    return `${["server", ...path].join(".")}: expected ${expected}, got ${got}`;
  });
  throw new ToolkeepError("BAD_REQUEST", problems.join("; "), { details: { problems: checked.error } });
}

/** Does the same and returns every problem as a value. */
export function checkServerConfig(
  name: string,
  input: ServerFields,
  source: ServerConfig["source"],
): Result<ServerConfig, FieldProblem[]> {
  const problems: FieldProblem[] = [];
  if (!isServerName(name))
    problems.push({ path: ["name"], expected: SERVER_NAME_EXPECTED, got: describeGot(name) });

  const parsed = fields.safeParse(input);
  if (!parsed.success) return err([...problems, ...fieldProblems(parsed.error, input)]);

  const transport = transportOf(parsed.data);
  if (!transport.ok) problems.push(transport.error);
  if (problems.length > 0 || !transport.ok) return err(problems);
  return ok({ name, ...onlyWhatApplies({ ...parsed.data, transport: transport.value }), source });
}

const SERVER_NAME_EXPECTED =
  "1 to 64 characters of any script with a letter or digit, no space at either end, and no * or : (they mean something in rules)";
/** No control, format or unassigned characters: a name is shown to people and must look like what it is. */
const SERVER_NAME = /^(?=.*[\p{L}\p{N}])(?! )[\p{L}\p{M}\p{N}\p{P}\p{S} ]+(?<! )$/u;
const MAX_SERVER_NAME = 64;

function isServerName(name: unknown): name is string {
  return (
    typeof name === "string" &&
    [...name].length <= MAX_SERVER_NAME &&
    SERVER_NAME.test(name) &&
    !/[*:]/.test(name) &&
    name === name.normalize("NFC")
  );
}

const ENV_NAME = /^[^=\s\0]+$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const ENV_NAME_EXPECTED = "a variable name without = and spaces";
const HEADER_NAME_EXPECTED = "a header name";
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const envName = z.string().regex(ENV_NAME, ENV_NAME_EXPECTED);
const envValue = z.string("a string").regex(/^[^\0]*$/, "a string without NUL characters");
const headerName = z.string().regex(HEADER_NAME, HEADER_NAME_EXPECTED);
const headerValue = z.string("a string").regex(HEADER_VALUE, "a header value on one line");

const fields = z.object({
  transport: oneOf(["stdio", "http", "sse"]).nullish(),
  command: text("a program to run").nullable().default(null),
  args: z.array(envValue, "a list of strings").max(1000, "at most 1000 arguments").default([]),
  env: z.record(envName, envValue, "an object of strings").default({}),
  cwd: text("a folder").nullable().default(null),
  url: httpUrl().nullable().default(null),
  headers: z.record(headerName, headerValue, "an object of strings").default({}),
  oauth: oauthFields.nullable().default(null),
  tls: tlsFields.nullable().default(null),
  enabled: yesOrNo().default(true),
  connect: oneOf(["lazy", "eager"]).default("lazy"),
  keepAlive: yesOrNo().default(false),
  timeoutMs: timeoutMs().nullable().default(null),
  progressExtendsTimeout: yesOrNo().default(false),
  connectTimeoutMs: timeoutMs().default(60_000),
  retry: oneOf(["safe", "never", "once"]).default("safe"),
  trusted: yesOrNo().default(false),
  pin: yesOrNo().nullable().default(null),
  maxConcurrency: wholeNumber(1, 1000).default(64),
  sandbox: sandboxFields,
});

type Fields = z.output<typeof fields>;

/** The transport given, else the one that follows from `url` or `command`; what it needs must be there. */
function transportOf({
  transport,
  command,
  url,
  tls,
}: Fields): Result<ServerConfig["transport"], FieldProblem> {
  if (!transport && command !== null && url !== null) {
    return missing("transport", '"stdio", "http" or "sse", because both command and url are given');
  }
  const chosen = transport ?? (url === null ? "stdio" : "http");
  if (chosen === "stdio" && command === null) {
    return missing("command", "a program to run (or the url of a remote server)");
  }
  if (chosen !== "stdio" && url === null)
    return missing("url", `the http:// or https:// address of the ${chosen} server`);
  if (chosen !== "stdio" && tls !== null && !/^https:/i.test(url!)) {
    return err({ path: ["url"], expected: "an https:// URL, because tls is given", got: "an http:// URL" });
  }
  return ok(chosen);
}

function missing(field: string, expected: string): Result<never, FieldProblem> {
  return err({ path: [field], expected, got: "nothing" });
}

/**
 * A local server has no url and headers, a remote one no command. Fields left over from a change of transport are
 * dropped.
 */
function onlyWhatApplies(server: Fields & { transport: ServerConfig["transport"] }) {
  return server.transport === "stdio"
    ? { ...server, url: null, headers: {}, oauth: null, tls: null }
    : { ...server, command: null, args: [], env: {}, cwd: null, sandbox: null };
}

function fieldProblems(error: z.ZodError, input: unknown): FieldProblem[] {
  return error.issues.map(({ path, message }) => {
    const expected = nameExpectedAt(path);
    // The text in place of a name may contain a secret, if somebody wrote both into one text.
    if (expected !== undefined) return { path: path.slice(0, 1), expected, got: "another name (not shown)" };
    return { path, expected: message, got: describeGot(valueAt(input, path), path) };
  });
}

/** Applies if the name itself is wrong. */
function nameExpectedAt([field, name]: readonly PropertyKey[]): string | undefined {
  if (name === undefined) return undefined;
  if (field === "headers" && !HEADER_NAME.test(String(name))) return HEADER_NAME_EXPECTED;
  return field === "env" && !ENV_NAME.test(String(name)) ? ENV_NAME_EXPECTED : undefined;
}
