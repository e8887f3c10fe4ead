import type { NewServer, ServerInput, ServerView } from "../../api/contract.ts";

/** The form state of a server. Values of variables and headers are kept apart, because they must never be stored as a draft. */
export interface ServerFields {
  readonly name: string;
  readonly kind: "program" | "address";
  readonly command: string;
  /** One per line. */
  readonly args: string;
  readonly cwd: string;
  readonly url: string;
  readonly envKeys: readonly string[];
  readonly headerKeys: readonly string[];
  readonly trusted: boolean;
  readonly eager: boolean;
  /** In seconds; "" for the default. */
  readonly timeout: string;
  readonly sandbox: "" | "off" | "auto" | "required";
  readonly scope: string;
  readonly clientId: string;
}

/** Values under the keys `env KEY`, `header KEY` and `clientSecret`. */
export type SecretValues = Readonly<Record<string, string>>;

export const EMPTY_FIELDS: ServerFields = {
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

export function toFields(server: ServerView): ServerFields {
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

/** Converts the form to API input. With `initialFields`, only what differs: a masked value must never be sent back. */
export function toServerInput(
  fields: ServerFields,
  values: SecretValues,
  initialFields?: ServerFields,
): ServerInput {
  const all: ServerInput = {
    ...(fields.kind === "program"
      ? {
          command: fields.command.trim(),
          args: splitLines(fields.args),
          cwd: fields.cwd.trim() === "" ? null : fields.cwd.trim(),
          env: toRecord("env", fields.envKeys, values),
        }
      : { url: fields.url.trim(), headers: toRecord("header", fields.headerKeys, values) }),
    trusted: fields.trusted,
    connect: fields.eager ? "eager" : "lazy",
    ...(fields.timeout.trim() === "" ? {} : { timeoutMs: Math.round(Number(fields.timeout) * 1_000) }),
    ...(fields.sandbox === "" ? {} : { sandbox: { mode: fields.sandbox } }),
    ...toOauth(fields, values),
  };
  if (!initialFields) return all;
  const initial = toServerInput(initialFields, {});
  return Object.fromEntries(
    Object.entries(all).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(initial[key as keyof ServerInput]),
    ),
  );
}

export function toNewServer(fields: ServerFields, values: SecretValues): NewServer {
  return { name: fields.name.trim(), ...toServerInput(fields, values) };
}

function toOauth({ kind, scope, clientId }: ServerFields, values: SecretValues): Pick<ServerInput, "oauth"> {
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

function toRecord(
  kind: "env" | "header",
  keys: readonly string[],
  values: SecretValues,
): Record<string, string> {
  const names = keys.map((key) => key.trim()).filter((key) => key !== "");
  return Object.fromEntries(names.map((key) => [key, values[`${kind} ${key}`] ?? ""]));
}

function splitLines(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}
