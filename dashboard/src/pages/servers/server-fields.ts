import type { NewServer, ServerInput, ServerView } from "../../api/contract.ts";

/** What a person types about a server. Values of variables and headers are apart: they are never kept in the tab. */
export interface ServerFields {
  readonly name: string;
  readonly kind: "program" | "address";
  readonly command: string;
  /** One a line. */
  readonly args: string;
  readonly cwd: string;
  readonly url: string;
  readonly envKeys: readonly string[];
  readonly headerKeys: readonly string[];
  readonly trusted: boolean;
  readonly eager: boolean;
  /** In seconds; "" is the default. */
  readonly timeout: string;
  readonly sandbox: "" | "off" | "auto" | "required";
  readonly scope: string;
  readonly clientId: string;
}

/** By `env KEY` and `header KEY`; and `clientSecret`. */
export type SecretValues = Readonly<Record<string, string>>;

export const NO_FIELDS: ServerFields = {
  name: "",
  kind: "program",
  command: "",
  args: "",
  cwd: "",
  url: "",
  envKeys: [],
  headerKeys: [],
  trusted: false,
  eager: false,
  timeout: "",
  sandbox: "",
  scope: "",
  clientId: "",
};

export function fieldsOf(server: ServerView): ServerFields {
  return {
    name: server.name,
    kind: server.transport === "stdio" ? "program" : "address",
    command: server.command ?? "",
    args: server.args.join("\n"),
    cwd: server.cwd ?? "",
    url: server.url ?? "",
    envKeys: server.envKeys,
    headerKeys: server.headerKeys,
    trusted: server.trusted,
    eager: server.connect === "eager",
    timeout: String(server.timeoutMs / 1_000),
    sandbox: server.sandbox?.mode ?? "",
    scope: server.oauth?.scope ?? "",
    clientId: server.oauth?.clientId ?? "",
  };
}

/** As the API takes it. With `before` only what differs: what was masked when it was shown must not be sent back. */
export function inputOf(fields: ServerFields, values: SecretValues, before?: ServerFields): ServerInput {
  const all: ServerInput = {
    ...(fields.kind === "program"
      ? {
          command: fields.command.trim(),
          args: linesOf(fields.args),
          cwd: fields.cwd.trim() === "" ? null : fields.cwd.trim(),
          env: pairs("env", fields.envKeys, values),
        }
      : { url: fields.url.trim(), headers: pairs("header", fields.headerKeys, values) }),
    trusted: fields.trusted,
    connect: fields.eager ? "eager" : "lazy",
    ...(fields.timeout.trim() === "" ? {} : { timeoutMs: Math.round(Number(fields.timeout) * 1_000) }),
    ...(fields.sandbox === "" ? {} : { sandbox: { mode: fields.sandbox } }),
    ...oauthOf(fields, values),
  };
  if (!before) return all;
  const same = inputOf(before, {});
  return Object.fromEntries(
    Object.entries(all).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(same[key as keyof ServerInput]),
    ),
  );
}

export function newServerOf(fields: ServerFields, values: SecretValues): NewServer {
  return { name: fields.name.trim(), ...inputOf(fields, values) };
}

function oauthOf({ kind, scope, clientId }: ServerFields, values: SecretValues): Pick<ServerInput, "oauth"> {
  const clientSecret = values.clientSecret ?? "";
  if (kind !== "address" || (scope === "" && clientId === "" && clientSecret === "")) return {};
  return {
    oauth: {
      ...(scope === "" ? {} : { scope }),
      ...(clientId === "" ? {} : { clientId }),
      ...(clientSecret === "" ? {} : { clientSecret }),
    },
  };
}

function pairs(
  kind: "env" | "header",
  keys: readonly string[],
  values: SecretValues,
): Record<string, string> {
  const given = keys.map((key) => key.trim()).filter((key) => key !== "");
  return Object.fromEntries(given.map((key) => [key, values[`${kind} ${key}`] ?? ""]));
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}
