import { isRecord } from "../../lib/json.ts";
import { toMs } from "../../machine/config/document/expectation.ts";
import type { ServerInput, ServerTest } from "../contract.ts";

const TRANSPORTS: Readonly<Record<string, string>> = {
  local: "stdio",
  remote: "http",
  "streamable-http": "http",
  streamableHttp: "http",
};
const FIELDS: Readonly<Record<string, keyof ServerInput>> = {
  keep_alive: "keepAlive",
  progress_extends_timeout: "progressExtendsTimeout",
  connect_timeout_ms: "connectTimeoutMs",
  max_concurrency: "maxConcurrency",
};
/** Not about how the server is reached: its name, how long the test may take, whether it takes part. */
const IGNORED = new Set(["name", "timeout_ms", "enabled", "disabled"]);

/** The server that an entry of `[[mcp.servers]]` describes, with the values of its keys unchecked. */
export function toTestedServer(entry: ServerTest): ServerInput {
  const { type, transport = type, command, args, tool_timeout_secs: secs, ...rest } = dropEmpty(entry);
  const [program, ...leading] = Array.isArray(command) ? command : [command];
  const isRemote = program === "" && rest.url !== undefined;
  const fields = Object.entries(rest).filter(([key]) => !IGNORED.has(key));
  const server: Record<string, unknown> = {
    ...Object.fromEntries(fields.map(([key, value]) => [FIELDS[key] ?? key, value])),
    ...(transport !== undefined && { transport: TRANSPORTS[String(transport)] ?? transport }),
    ...(program !== undefined && !isRemote && { command: program }),
    ...((leading.length > 0 || args !== undefined) && {
      args: [...leading, ...(Array.isArray(args) ? args : [])],
    }),
    ...(typeof secs === "number" && { timeoutMs: toMs(secs) }),
    ...(isRecord(rest.oauth) && { oauth: toCamelCase(rest.oauth) }),
    ...(isRecord(rest.sandbox) && { sandbox: toCamelCase(rest.sandbox) }),
  };
  return server as ServerInput;
}

/** The keys that have a value. Such files write an empty text for none; an empty command stays, so that its check reports it. */
function dropEmpty(entry: ServerTest): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(entry).filter(
      ([key, value]) =>
        value !== null && !(value === "" && ["url", "cwd", "transport", "type"].includes(key)),
    ),
  );
}

function toCamelCase(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      inner,
    ]),
  );
}
