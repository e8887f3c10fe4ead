/** One server in a settings file. The three file formats share their keys: an entry may use those of any. */
import { z } from "zod";
import { isRecord } from "../../../lib/json.ts";
import type { KeyPath } from "../document/document.ts";
import { oneOf, text, timeoutSecs, toMs, yesOrNo } from "../document/expectation.ts";
import type { FileReport } from "../problem.ts";
import type { ServerConfig } from "../settings.ts";
import { oauthKeyOf, readOAuth, readTls } from "./server-auth.ts";
import { checkServerConfig, type ServerFields } from "./server-config.ts";
import { readSandbox, sandboxKeyOf } from "./server-sandbox.ts";

export interface Entry {
  readonly name: unknown;
  readonly path: KeyPath;
  readonly value: unknown;
}

/** The keys of an entry, with their defaults for the documentation. */
export const ENTRY_KEYS: Readonly<
  Record<string, { readonly default: string; readonly description: string }>
> = {
  name: {
    default: "",
    description: "The server's name; only in the list `mcp.servers`, elsewhere it is the key.",
  },
  type: { default: "", description: "`local` or `remote`; also accepts what `transport` accepts." },
  transport: { default: "`http` with a url, else `stdio`", description: "`stdio`, `http` or `sse`." },
  command: { default: "", description: "The program of a local server, or a list of program and arguments." },
  args: { default: "[]", description: "Its arguments." },
  env: { default: "{}", description: "Variables for it, on top of the daemon's own environment." },
  cwd: { default: "", description: "The folder it starts in." },
  url: { default: "", description: "The address of a remote server." },
  headers: { default: "{}", description: "Headers sent with every request to a remote server." },
  oauth: {
    default: "",
    description: "How to sign in to a remote server; needed only where it cannot be found out by asking it.",
  },
  tls: { default: "", description: "A client certificate for a remote server, or authorities to believe." },
  enabled: { default: "true", description: "False: the server contributes no tools." },
  disabled: { default: "false", description: "The opposite of `enabled`, as other programs write it." },
  connect: { default: "lazy", description: "`lazy`: connected by the first call; `eager`: at the start." },
  keep_alive: {
    default: "false",
    description: "True: it is not stopped when it was not called for `mcp.idle_timeout_secs`.",
  },
  timeout_ms: { default: "", description: "How long one call may take, in milliseconds." },
  tool_timeout_secs: {
    default: "`mcp.tool_timeout_secs`",
    description: "The same in seconds; give one of the two.",
  },
  progress_extends_timeout: {
    default: "false",
    description: "True: each progress update gives a call its time again, up to 600 s in all.",
  },
  connect_timeout_ms: {
    default: "60000",
    description: "How long connecting and listing the tools may take together.",
  },
  retry: {
    default: "safe",
    description:
      "When a call is repeated after its connection broke: `safe` (it was not sent, or a trusted server says that repeating does no harm), `never`, or `once` in any case.",
  },
  trusted: {
    default: "false",
    description: "True: its hints may loosen what is asked; not taken from a project file.",
  },
  pin: {
    default: "`mcp.pin`",
    description:
      "True: new and changed tools wait until a person has accepted them; a project file cannot say false.",
  },
  max_concurrency: {
    default: "64",
    description: "How many calls it gets at the same time; others wait their turn.",
  },
  sandbox: {
    default: "",
    description: "How a local server is confined: an object, `true` for `required`, or a mode.",
  },
};

/** Undefined if the entry is invalid; the report says why. */
export function readEntry(
  entry: Entry,
  source: "user" | "project",
  report: FileReport,
): ServerConfig | undefined {
  const { path } = entry;
  if (!isRecord(entry.value)) {
    report.expected(path, "an object that describes a server", entry.value);
    return undefined;
  }
  const given = withoutNulls(entry.value);
  const before = report.problemCount;
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(ENTRY_KEYS, key)) report.unknownKey([...path, key], Object.keys(ENTRY_KEYS));
  }

  const { shape, wrongKeys } = readShape(given, path, report);
  if (given.timeout_ms !== undefined && shape.tool_timeout_secs !== undefined) {
    report.expectedInstead([...path, "tool_timeout_secs"], "timeout_ms or tool_timeout_secs", "both");
  }

  const oauth = readOAuth(given.oauth, [...path, "oauth"], report);
  const tls = readTls(given.tls, [...path, "tls"], report);
  const sandbox = readSandbox(given.sandbox, [...path, "sandbox"], report) as ServerFields["sandbox"];
  const fields = { ...fieldsOf(given, shape), oauth: oauth ?? null, tls: tls ?? null, sandbox };
  const checked = checkServerConfig(entry.name as string, fields, source);
  if (!checked.ok) {
    for (const problem of checked.error) {
      const [field, ...rest] = problem.path as [string, ...string[]];
      const key = FILE_KEYS[field] ?? field;
      const inner = INNER_KEYS[key] ? rest.map(INNER_KEYS[key]) : rest;
      if (!wrongKeys.has(key))
        report.expectedInstead(keyPath(path, key, inner), problem.expected, problem.got);
    }
  }
  if (!checked.ok || report.problemCount > before) return undefined;
  warnWithoutEffect(given, checked.value, path, report);
  return checked.value;
}

const TRANSPORTS = {
  local: "stdio",
  stdio: "stdio",
  remote: "http",
  http: "http",
  "streamable-http": "http",
  streamableHttp: "http",
  sse: "sse",
} as const;
const transport = oneOf(Object.keys(TRANSPORTS) as (keyof typeof TRANSPORTS)[]).optional();
const scalar = z.union([z.string(), z.number(), z.boolean()], "a string").transform(String);

const commandLine = z.union(
  [z.string(), z.tuple([text("a program")], z.string())],
  "a program, or a list of program and arguments",
);

/** The keys of an entry that are not fields of a server as they stand. */
const entryShape = z.object({
  type: transport,
  transport,
  command: commandLine.optional(),
  args: z.array(z.string("a string"), "a list of strings").optional(),
  env: z.record(z.string(), scalar, "an object of strings").optional(),
  disabled: yesOrNo().optional(),
  tool_timeout_secs: timeoutSecs().optional(),
});

type Shape = z.output<typeof entryShape>;

/** Reports problems of the shape and continues, so that one reading finds all of them. */
function readShape(given: Record<string, unknown>, path: KeyPath, report: FileReport) {
  const first = entryShape.safeParse(given);
  if (first.success) return { shape: first.data, wrongKeys: new Set<string>() };
  const wrongKeys = report.mismatches(first.error, given, path);
  const rest = Object.entries(given).filter(([key]) => !wrongKeys.has(key));
  return { shape: entryShape.parse(Object.fromEntries(rest)), wrongKeys };
}

/** The types of the other fields are checked by `checkServerConfig`. */
function fieldsOf(given: Record<string, unknown>, shape: Shape): ServerFields {
  const [command, ...leading] = typeof shape.command === "string" ? [shape.command] : (shape.command ?? []);
  const kind = shape.transport ?? shape.type;
  return {
    transport: kind && TRANSPORTS[kind],
    command,
    args: [...leading, ...(shape.args ?? [])],
    env: shape.env,
    cwd: given.cwd,
    url: given.url,
    headers: given.headers,
    enabled: shape.disabled === true ? false : given.enabled,
    connect: given.connect,
    keepAlive: given.keep_alive,
    timeoutMs: shape.tool_timeout_secs === undefined ? given.timeout_ms : toMs(shape.tool_timeout_secs),
    progressExtendsTimeout: given.progress_extends_timeout,
    connectTimeoutMs: given.connect_timeout_ms,
    retry: given.retry,
    trusted: given.trusted,
    pin: given.pin,
    maxConcurrency: given.max_concurrency,
  } as ServerFields;
}

const INNER_KEYS: Readonly<Record<string, (field: string) => string>> = {
  oauth: oauthKeyOf,
  sandbox: sandboxKeyOf,
};

const FILE_KEYS: Readonly<Record<string, string>> = {
  keepAlive: "keep_alive",
  progressExtendsTimeout: "progress_extends_timeout",
  timeoutMs: "timeout_ms",
  connectTimeoutMs: "connect_timeout_ms",
  maxConcurrency: "max_concurrency",
};

/** If the name is the key of the entry, a problem with the name belongs to the entry itself. */
function keyPath(path: KeyPath, key: string, rest: readonly string[]): KeyPath {
  const isKeyed = typeof path.at(-1) === "string";
  return key === "name" && isKeyed ? path : [...path, key, ...rest];
}

function warnWithoutEffect(
  given: Record<string, unknown>,
  server: ServerConfig,
  path: KeyPath,
  report: FileReport,
): void {
  const idle =
    server.transport === "stdio"
      ? ["url", "headers", "oauth", "tls"]
      : ["command", "args", "env", "cwd", "sandbox"];
  for (const key of idle) {
    if (key in given)
      report.warn([...path, key], `has no effect on a server with transport "${server.transport}"`);
  }
}

function withoutNulls(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}
