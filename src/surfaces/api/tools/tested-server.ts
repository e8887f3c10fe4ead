import { isRecord } from "../../../lib/json.ts";
import { toMs } from "../../../machine/config/document/expectation.ts";
import type { ServerInput, ServerTest } from "../contract.ts";
import { serverReach, shortText } from "../schema.ts";

const yesOrNo = { type: ["boolean", "null"] };
const number = { type: ["number", "null"] };
const word = { type: ["string", "null"], maxLength: shortText.maxLength };

/** What an entry of `[[mcp.servers]]` may have beside how the server is reached. */
export const entryKeys = {
  transport: word,
  type: word,
  command: {
    type: ["string", "array", "null"],
    maxLength: 4_096,
    maxItems: 1_000,
    items: { type: "string", maxLength: 65_536 },
  },
  args: { ...serverReach.args, type: ["array", "null"] },
  env: { ...serverReach.env, type: ["object", "null"] },
  headers: { ...serverReach.headers, type: ["object", "null"] },
  enabled: yesOrNo,
  disabled: yesOrNo,
  connect: word,
  keep_alive: yesOrNo,
  tool_timeout_secs: number,
  progress_extends_timeout: yesOrNo,
  connect_timeout_ms: number,
  retry: word,
  trusted: yesOrNo,
  pin: yesOrNo,
  max_concurrency: number,
  timeout_ms: number,
};

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
/** How long the test may take, which is not about the server; whether it takes part is not asked. */
const NOT_TESTED = new Set(["name", "timeout_ms", "enabled", "disabled"]);

/**
 * The server that an entry of `[[mcp.servers]]` describes, with the values of its keys unchecked. Empty texts are what
 * those files write for nothing.
 */
export function testedServer(entry: ServerTest): ServerInput {
  const { type, transport = type, command, args, tool_timeout_secs: secs, ...rest } = present(entry);
  const [program, ...leading] = Array.isArray(command) ? command : [command];
  const isRemote = program === "" && rest.url !== undefined;
  const fields = Object.entries(rest).filter(([key]) => !NOT_TESTED.has(key));
  const server: Record<string, unknown> = {
    ...Object.fromEntries(fields.map(([key, value]) => [FIELDS[key] ?? key, value])),
    ...(transport !== undefined && { transport: TRANSPORTS[String(transport)] ?? transport }),
    ...(program !== undefined && !isRemote && { command: program }),
    ...((leading.length > 0 || args !== undefined) && {
      args: [...leading, ...(Array.isArray(args) ? args : [])],
    }),
    ...(typeof secs === "number" && { timeoutMs: toMs(secs) }),
    ...(isRecord(rest.oauth) && { oauth: camelKeys(rest.oauth) }),
    ...(isRecord(rest.sandbox) && { sandbox: camelKeys(rest.sandbox) }),
  };
  return server as ServerInput;
}

/** A program that is empty is looked at where there is no address, so that somebody is told. */
function present(entry: ServerTest): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(entry).filter(
      ([key, value]) =>
        value !== null && !(value === "" && ["url", "cwd", "transport", "type"].includes(key)),
    ),
  );
}

function camelKeys(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      inner,
    ]),
  );
}
